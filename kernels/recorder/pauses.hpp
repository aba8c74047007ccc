// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::recorder {

/// How long a thread has paused since its last recorded call, outside calls of MPI: in nanosleep,
/// clock_nanosleep, usleep, sleep, select without descriptors, and sched_yield.
struct Pauses {
  std::int64_t elapsed_ns = 0;
  /// No more than it asked for: after a sleep it may have waited for a core, which counts by itself. A thread
  /// that yields its core asks for none.
  std::int64_t asked_ns = 0;
};
extern constinit thread_local Pauses pauses __attribute__((tls_model("initial-exec")));

}  // namespace finegrain::recorder
