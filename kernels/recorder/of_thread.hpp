// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::recorder {

/// Frees what belongs to this thread when it ends; that of the main thread stays. Destructors of thread_local
/// variables would do, but to register one takes the loader's lock, and a thread that has it, because it
/// loads a library that calls MPI, may wait for this one.
void free_at_threads_end();

}  // namespace finegrain::recorder
