// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace finegrain::recorder {

/// What other threads of the program did between the last reading and this one.
struct Workers {
  std::int64_t since_ns = 0;        ///< when the last reading was, or the first thread began
  std::int64_t longest_run_ns = 0;  ///< how long that one ran which ran the longest
  std::int64_t waited_ns = 0;       ///< the sum of the times in which one was ready to run, but had no core
};

/// Whether the program has begun other threads than the calling one. Those of the MPI library, and what these
/// begin, are not the program's.
bool has_workers();

/// Reads what the kernel says about each of them. It never blocks, and may be called in a signal's handler.
/// @param since_ns  reading takes 1 to 2 us a thread, so nothing is read where the time since then is short
/// @returns none if nothing was read
std::optional<Workers> read_workers(std::int64_t since_ns, std::int64_t now_ns);

/// The calling thread ends.
void note_worker_ends();

}  // namespace finegrain::recorder
