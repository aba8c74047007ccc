// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/formats/rank_calls.hpp"

namespace finegrain::formats {

/// Counts of the receives of any source or any tag for which a trace does not say which message they took.
struct AnySource {
  std::int64_t found = 0;    ///< took a message
  std::int64_t unfound = 0;  ///< there was none left for them
  bool is_complete = true;   ///< every rank came to its end
};

/// Gives such receives the peer and the tag that they take in one execution that MPI allows: no send waits,
/// every collective waits for all its ranks, and each rank goes on until it has to wait for another.
AnySource find_sources(std::span<RankCalls> ranks, std::span<const Communicator> communicators);

/// Says so, a line each.
void append_notes(std::vector<std::string>& notes, const AnySource& sources);

}  // namespace finegrain::formats
