// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "functions.hpp"

namespace finegrain::recorder {

/// Calls that found nothing since the rank's last other call, with the work between them. Who has access to
/// the recording has it to this.
struct Polling {
  std::int64_t since_ns = 0;  ///< 0: the last call was another one
  std::int64_t last_ns = 0;
  std::uint64_t calls = 0;
  Function function = {};  ///< the last one's
  const void* caller = nullptr;
};
extern Polling polling;

}  // namespace finegrain::recorder
