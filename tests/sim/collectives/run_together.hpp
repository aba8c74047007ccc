// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::test {

/// What came of a collective that all ranks of a communicator carried out together.
struct Outcome {
  std::string problem;  ///< empty: all ranks ended, each send met its receive, and their bytes were equal
  /// knows[r][s]: data of rank s can have reached rank r. Shape [ranks][ranks].
  std::vector<std::vector<bool>> knows;
  std::vector<std::int64_t> received_bytes;  ///< shape [ranks]
  std::int64_t messages = 0;
};

/// Runs all ranks' operations against each other. Every send waits for its receive, as if no message were
/// eager, so that what can deadlock does.
/// @param calls  each rank's
Outcome run_together(const std::vector<collectives::Call>& calls, const collectives::Choice& choice);

}  // namespace finegrain::test
