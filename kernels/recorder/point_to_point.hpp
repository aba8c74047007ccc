// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/recorder/call.hpp"
#include "kernels/recorder/message.hpp"

namespace finegrain::recorder {

/// MPI_Ssend waits until its receive has begun, MPI_Bsend does not wait; for others the replay decides.
enum class SendMode : std::uint8_t { standard, synchronous, buffered };

/// Whether a message to or from `peer` is exchanged with a process outside the run. That of a receive from
/// any source may show only when it is there (Message::is_from_outside).
bool is_outside(const Communicator& communicator, int peer);

Message message_to(const Communicator& communicator, int peer, int tag, int count, MPI_Datatype type,
                   SendMode mode = SendMode::standard);
/// The message's size is that of the buffer.
Message message_from(const CommunicatorPtr& communicator, int peer, int tag, int count, MPI_Datatype type);

/// If this thread's last probe found what this receive asks for, and had a wildcard, so has the receive.
void widen_to_probe(Recording& recording, MPI_Comm comm, int& peer, int& tag);

/// Whether a receive took its message: it also did if that was too long for its buffer.
inline bool took_message(int result) {
  if (result == MPI_SUCCESS) return true;
  int error_class = MPI_SUCCESS;
  real.MPI_Error_class(result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

/// @param status  a receive's, which says what a wildcard got
void post_blocking(Record& record, Message message, const MPI_Status& status);
/// Remembers the request until it is completed.
/// @param is_outside_too  it is also about another message, to a process outside the run
void post_nonblocking(Record& record, const Message& message, const MPI_Request* request,
                      bool is_outside_too = false);

}  // namespace finegrain::recorder
