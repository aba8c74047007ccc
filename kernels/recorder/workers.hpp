// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace finegrain::recorder {

/// What the other threads of the program have done since the last reading.
struct Workers {
  std::int64_t since_ns = 0;        ///< when the last reading was
  std::int64_t longest_run_ns = 0;  ///< how long that one ran which ran the longest
  std::int64_t waited_ns = 0;       ///< the sum of the times in which one was ready to run, but had no core
};

/// Whether the program has begun other threads than the calling one. Those that MPI has begun are not the
/// program's.
bool has_workers();

/// None if the last reading was shortly before: it takes about a microsecond a thread.
std::optional<Workers> read_workers(std::int64_t now_ns);

/// The calling thread ends.
void note_worker_ends();

}  // namespace finegrain::recorder
