// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::recorder {

class Recording;

/// Starts a thread that writes to the rank's file, while the program calls nothing or waits in a call: what
/// was recorded over a second ago, and the call that a thread has been in for so long. So a run that hangs
/// leaves its calls, and where it hangs. The thread calls no function of MPI and takes no signal of the
/// program. Where it cannot be started, files are written when calls end.
void start_flushing(Recording& recording);

}  // namespace finegrain::recorder
