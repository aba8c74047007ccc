// SPDX-License-Identifier: MIT
#pragma once

#include <variant>
#include <vector>

#include "kernels/recorder/communicator.hpp"
#include "traces/operation.hpp"

namespace finegrain::recorder {

/// A send or receive, before it is posted.
struct Message {
  bool is_none = false;     ///< to or from MPI_PROC_NULL: nothing is done
  bool is_outside = false;  ///< to or from a process that is not of the run: only its time is known
  Post post = {.kind = TransferKind::send, .peer = 0, .size_bytes = 0};
  CommunicatorPtr communicator = nullptr;  ///< a wildcard receive's: its status numbers the source in it

  /// Whether a receive from any source has got the message of a process outside the run.
  bool is_from_outside(int source) const {
    return communicator != nullptr && !communicator->is_in_run() && communicator->rank_of_run(source) < 0;
  }
  bool is_in_run() const { return !is_none && !is_outside; }
};

/// A collective of a persistent request, before it is started.
struct PersistentCollective {
  CommunicatorPtr communicator;
  Collective collective;
  std::vector<std::int64_t> sizes;
};

/// A message that leaves when all its parts are ready (MPI_Psend_init).
struct PartitionedSend {
  Message message;
  int partitions;
  int ready = 0;  ///< since it was started
};

/// What a persistent request does each time that it is started.
using Persistent = std::variant<Message, PersistentCollective, PartitionedSend>;

}  // namespace finegrain::recorder
