// SPDX-License-Identifier: MIT
// Sends and receives. Whether a send waits for its receive is recorded for MPI_Ssend, which does, and for
// MPI_Bsend, which does not. For MPI_Send and MPI_Rsend the replay decides it by their size.
#include "kernels/recorder/point_to_point.hpp"

#include <utility>

#include "kernels/recorder/call.hpp"

namespace finegrain::recorder {

bool is_outside(const Communicator& communicator, int peer) {
  if (communicator.is_in_run() || peer == MPI_PROC_NULL) return false;
  return peer == MPI_ANY_SOURCE ? !communicator.has_sources_in_run() : communicator.rank_of_run(peer) < 0;
}

Message message_to(const Communicator& communicator, int peer, int tag, int count, MPI_Datatype type,
                   SendMode mode) {
  Message message;
  message.is_none = peer == MPI_PROC_NULL;
  message.is_outside = is_outside(communicator, peer);
  if (!message.is_in_run()) return message;
  message.post = {.kind = TransferKind::send,
                  .is_synchronous = mode == SendMode::synchronous,
                  .is_buffered = mode == SendMode::buffered,
                  .peer = communicator.rank_of_run(peer),
                  .tag = tag,
                  .communicator = communicator.number,
                  .size_bytes = size_bytes(count, type)};
  return message;
}

Message message_from(const CommunicatorPtr& communicator, int peer, int tag, int count, MPI_Datatype type) {
  Message message;
  message.is_none = peer == MPI_PROC_NULL;
  message.is_outside = is_outside(*communicator, peer);
  if (!message.is_in_run()) return message;
  const bool any_source = peer == MPI_ANY_SOURCE;
  const bool any_tag = tag == MPI_ANY_TAG;
  message.post = {.kind = TransferKind::receive,
                  .any_source = any_source,
                  .any_tag = any_tag,
                  .peer = any_source ? -1 : communicator->rank_of_run(peer),
                  .tag = any_tag ? 0 : tag,
                  .communicator = communicator->number,
                  .size_bytes = size_bytes(count, type)};
  if (any_source || any_tag) message.communicator = communicator;
  return message;
}

void post_blocking(Record& record, Message message, const MPI_Status& status) {
  if (message.is_outside || (message.is_in_run() && message.is_from_outside(status.MPI_SOURCE)))
    return record.signature().timed();
  if (!message.is_in_run()) return;
  message.post.blocking = true;
  record.post(message.post);
  if (message.communicator != nullptr)
    record.signature().bind(0, message.communicator->rank_of_run(status.MPI_SOURCE), status.MPI_TAG);
}

void post_nonblocking(Record& record, const Message& message, const MPI_Request* request,
                      bool is_outside_too) {
  Pending pending;
  pending.address = request;
  pending.is_outside = message.is_outside || is_outside_too;
  if (pending.is_outside) record.signature().timed();
  if (message.is_in_run()) {
    pending.number = record.post(message.post);
    pending.is_receive = message.post.kind == TransferKind::receive;
    pending.any_source = message.post.any_source;
    pending.any_tag = message.post.any_tag;
    pending.communicator = message.communicator;
  }
  record.recording().requests.add(*request, pending);
}

namespace {

const Communicator& communicator_of(const Record& record, MPI_Comm comm) {
  return *record.recording().communicators.of(comm);
}

}  // namespace

#define RECORD_SEND(name, mode)                                                                            \
  int recorded::name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    const Call call(Function::name);                                                                       \
    const int result = real.name(buffer, count, type, peer, tag, comm);                                    \
    if (Record record(call); record && result == MPI_SUCCESS) {                                            \
      Message message = message_to(communicator_of(record, comm), peer, tag, count, type, SendMode::mode); \
      post_blocking(record, message, {});                                                                  \
    }                                                                                                      \
    return result;                                                                                         \
  }

RECORD_SEND(MPI_Send, standard)
RECORD_SEND(MPI_Bsend, buffered)
RECORD_SEND(MPI_Rsend, standard)
RECORD_SEND(MPI_Ssend, synchronous)

#define RECORD_NONBLOCKING_SEND(name, mode)                                                                \
  int recorded::name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,   \
                     MPI_Request* request) {                                                               \
    const Call call(Function::name);                                                                       \
    const int result = real.name(buffer, count, type, peer, tag, comm, request);                           \
    if (Record record(call); record && result == MPI_SUCCESS) {                                            \
      Message message = message_to(communicator_of(record, comm), peer, tag, count, type, SendMode::mode); \
      post_nonblocking(record, message, request);                                                          \
    }                                                                                                      \
    return result;                                                                                         \
  }

RECORD_NONBLOCKING_SEND(MPI_Isend, standard)
RECORD_NONBLOCKING_SEND(MPI_Ibsend, buffered)
RECORD_NONBLOCKING_SEND(MPI_Irsend, standard)
RECORD_NONBLOCKING_SEND(MPI_Issend, synchronous)

int recorded::MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                       MPI_Status* status) {
  const Call call(Function::MPI_Recv);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Recv(buffer, count, type, peer, tag, comm, status);
  if (Record record(call); record && took_message(result)) {
    widen_to_probe(record.recording(), comm, peer, tag);
    post_blocking(record, message_from(record.recording().communicators.of(comm), peer, tag, count, type),
                  *status);
  }
  return result;
}

int recorded::MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                        MPI_Request* request) {
  const Call call(Function::MPI_Irecv);
  const int result = real.MPI_Irecv(buffer, count, type, peer, tag, comm, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    widen_to_probe(record.recording(), comm, peer, tag);
    post_nonblocking(record, message_from(record.recording().communicators.of(comm), peer, tag, count, type),
                     request);
  }
  return result;
}

namespace {

/// Posts both at once, then waits until both are complete. What is exchanged with a process outside the run
/// takes the call's time, once.
void record_exchange(Record& record, const Message& sent, Message received, const MPI_Status& status) {
  if (received.is_in_run() && received.is_from_outside(status.MPI_SOURCE)) {
    received.is_outside = true;
    received.communicator = nullptr;
  }
  std::int64_t posted = 0;
  for (const Message* message : {&sent, &std::as_const(received)}) {
    if (!message->is_in_run()) continue;
    record.post(message->post);
    ++posted;
  }
  if (received.communicator != nullptr)
    record.signature().bind(1, received.communicator->rank_of_run(status.MPI_SOURCE), status.MPI_TAG);
  if (posted > 0) record.complete_newest(posted);
  if (sent.is_outside || received.is_outside) record.signature().timed();
}

}  // namespace

int recorded::MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                           void* received, int received_count, MPI_Datatype received_type, int from,
                           int received_tag, MPI_Comm comm, MPI_Status* status) {
  const Call call(Function::MPI_Sendrecv);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count,
                                       received_type, from, received_tag, comm, status);
  if (Record record(call); record && took_message(result)) {
    const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
    record_exchange(record, message_to(*communicator, to, sent_tag, sent_count, sent_type),
                    message_from(communicator, from, received_tag, received_count, received_type), *status);
  }
  return result;
}

int recorded::MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int sent_tag, int from,
                                   int received_tag, MPI_Comm comm, MPI_Status* status) {
  const Call call(Function::MPI_Sendrecv_replace);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result =
      real.MPI_Sendrecv_replace(buffer, count, type, to, sent_tag, from, received_tag, comm, status);
  if (Record record(call); record && took_message(result)) {
    const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
    record_exchange(record, message_to(*communicator, to, sent_tag, count, type),
                    message_from(communicator, from, received_tag, count, type), *status);
  }
  return result;
}

#ifdef FINEGRAIN_HAS_MPI_Isendrecv
namespace {

/// Posts both with one request.
void post_exchange(Record& record, const Message& sent, const Message& received, const MPI_Request* request) {
  post_nonblocking(record, received, request, sent.is_outside);
  if (sent.is_in_run()) record.recording().requests.find(*request, request)->second = record.post(sent.post);
}

}  // namespace

int recorded::MPI_Isendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                            void* received, int received_count, MPI_Datatype received_type, int from,
                            int received_tag, MPI_Comm comm, MPI_Request* request) {
  const Call call(Function::MPI_Isendrecv);
  const int result = real.MPI_Isendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count,
                                        received_type, from, received_tag, comm, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
    post_exchange(record, message_to(*communicator, to, sent_tag, sent_count, sent_type),
                  message_from(communicator, from, received_tag, received_count, received_type), request);
  }
  return result;
}

int recorded::MPI_Isendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int sent_tag,
                                    int from, int received_tag, MPI_Comm comm, MPI_Request* request) {
  const Call call(Function::MPI_Isendrecv_replace);
  const int result =
      real.MPI_Isendrecv_replace(buffer, count, type, to, sent_tag, from, received_tag, comm, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
    post_exchange(record, message_to(*communicator, to, sent_tag, count, type),
                  message_from(communicator, from, received_tag, count, type), request);
  }
  return result;
}
#endif

}  // namespace finegrain::recorder
