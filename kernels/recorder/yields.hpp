// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::recorder {

/// How long a thread has been in sched_yield since its last recorded call, outside calls of MPI.
extern constinit thread_local std::int64_t yielded_ns __attribute__((tls_model("initial-exec")));

}  // namespace finegrain::recorder
