// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/recorder/communicator.hpp"
#include "traces/operation.hpp"

namespace finegrain::recorder {

/// A send or receive, before it is posted.
struct Message {
  bool is_none = false;     ///< to or from MPI_PROC_NULL: nothing is done
  bool is_outside = false;  ///< to or from a process that is not of the run: only its time is known
  Post post = {.kind = TransferKind::send, .peer = 0, .size_bytes = 0};
  CommunicatorPtr communicator = nullptr;  ///< of a wildcard receive: numbers the source in its status

  bool is_in_run() const { return !is_none && !is_outside; }
};

}  // namespace finegrain::recorder
