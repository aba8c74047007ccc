// SPDX-License-Identifier: MIT
// Probes have no operation of their own: what they wait for is the time until a message comes, which its
// receive replays. A receive of what a probe with a wildcard found would have taken another message too, so
// it is recorded with that wildcard. A matched probe takes its message, so it posts the receive, which
// MPI_Mrecv completes.
#include <algorithm>

#include "kernels/recorder/point_to_point.hpp"

namespace finegrain::recorder {
namespace {

/// Whatever the thread's probe before this one found is forgotten.
void note_found(const Record& record, int peer, int tag, MPI_Comm comm, const MPI_Status& status) {
  std::vector<Found>& found = record.recording().found;
  const std::uint32_t thread = thread_number();
  std::erase_if(found, [&](const Found& other) { return other.thread == thread; });
  if (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) {
    found.push_back(
        {thread, comm, peer == MPI_ANY_SOURCE, tag == MPI_ANY_TAG, status.MPI_SOURCE, status.MPI_TAG});
  }
}

void record_poll_from(const Call& call, int peer, MPI_Comm comm) {
  record_poll(call, [&](Recording& recording) {
    return comm != recording.handle_of_world && is_outside(*recording.communicators.of(comm), peer);
  });
}

}  // namespace

void widen_to_probe(Recording& recording, MPI_Comm comm, int& peer, int& tag) {
  const auto found = std::ranges::find(recording.found, thread_number(), &Found::thread);
  if (found == recording.found.end() || found->comm != comm || found->source != peer || found->tag != tag)
    return;
  if (found->any_source) peer = MPI_ANY_SOURCE;
  if (found->any_tag) tag = MPI_ANY_TAG;
  recording.found.erase(found);
}

int recorded::MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call(Function::MPI_Probe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Probe(peer, tag, comm, status);
  if (Record record(call); record && result == MPI_SUCCESS) {
    note_found(record, peer, tag, comm, *status);
    if (is_outside(*record.recording().communicators.of(comm), status->MPI_SOURCE))
      record.signature().timed();
  }
  return result;
}

int recorded::MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* is_there, MPI_Status* status) {
  const Call call(Function::MPI_Iprobe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Iprobe(peer, tag, comm, is_there, status);
  if (result == MPI_SUCCESS && *is_there == 0) {
    record_poll_from(call, peer, comm);
  } else if (const Record record(call); record && result == MPI_SUCCESS) {
    note_found(record, peer, tag, comm, *status);
  }
  return result;
}

namespace {

/// @param peer, tag  which the probe was given
void post_matched(Record& record, MPI_Message message, int peer, int tag, MPI_Comm comm,
                  const MPI_Status& status) {
  if (message == MPI_MESSAGE_NO_PROC) return;
  MPI_Count bytes = 0;  // MPI_Get_count does not tell more than an int holds
  real.MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
  Message receive = message_from(communicator, peer, tag, 0, MPI_BYTE);
  receive.post.size_bytes = std::max<std::int64_t>(bytes, 0);
  if (is_outside(*communicator, status.MPI_SOURCE)) {
    receive.is_outside = true;
    receive.communicator = nullptr;
    record.signature().timed();
  }
  const std::int64_t number = receive.is_in_run() ? record.post(receive.post) : Pending::none;
  if (receive.communicator != nullptr)
    record.signature().bind(record.age(number), communicator->rank_of_run(status.MPI_SOURCE), status.MPI_TAG);
  record.recording().matched.insert_or_assign(message, number);
}

/// The request of a message that a probe has taken; none if it is not known. It is asked for before the
/// message is received, because MPI may then give its handle to the next message, which another thread takes.
std::int64_t take_matched(const MPI_Message* message) {
  const Access access;
  if (!access || message == nullptr) return Pending::none;
  auto& matched = access.recording().matched;
  const auto found = matched.find(*message);
  if (found == matched.end()) return Pending::none;
  const std::int64_t number = found->second;
  matched.erase(found);
  return number;
}

/// After a receive has failed, the program may receive the message again if it still has its handle.
/// @param before  the handle, as it was before the call
void give_back(Record& record, std::int64_t number, MPI_Message before, const MPI_Message* after) {
  if (number == Pending::none) return;
  if (*after == before) {
    record.recording().matched.insert_or_assign(before, number);
  } else {
    record.signature().cancel(record.age(number));
  }
}

}  // namespace

int recorded::MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Call call(Function::MPI_Mprobe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Mprobe(peer, tag, comm, message, status);
  if (Record record(call); record && result == MPI_SUCCESS)
    post_matched(record, *message, peer, tag, comm, *status);
  return result;
}

int recorded::MPI_Improbe(int peer, int tag, MPI_Comm comm, int* is_there, MPI_Message* message,
                          MPI_Status* status) {
  const Call call(Function::MPI_Improbe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Improbe(peer, tag, comm, is_there, message, status);
  if (result == MPI_SUCCESS && *is_there == 0) {
    record_poll_from(call, peer, comm);
  } else if (Record record(call); record && result == MPI_SUCCESS) {
    post_matched(record, *message, peer, tag, comm, *status);
  }
  return result;
}

int recorded::MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                        MPI_Status* status) {
  const Call call(Function::MPI_Mrecv);
  std::int64_t number = take_matched(message);
  const MPI_Message before = number == Pending::none ? MPI_Message{} : *message;
  const int result = real.MPI_Mrecv(buffer, count, type, message, status);
  if (Record record(call); record && number != Pending::none) {
    if (took_message(result)) {
      record.complete({&number, 1});
    } else {
      give_back(record, number, before, message);
    }
  }
  return result;
}

int recorded::MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                         MPI_Request* request) {
  const Call call(Function::MPI_Imrecv);
  const std::int64_t number = take_matched(message);
  const MPI_Message before = number == Pending::none ? MPI_Message{} : *message;
  const int result = real.MPI_Imrecv(buffer, count, type, message, request);
  Record record(call);
  if (record && result != MPI_SUCCESS) give_back(record, number, before, message);
  if (record && result == MPI_SUCCESS) {
    Pending pending;
    pending.number = number;
    pending.address = request;
    pending.is_receive = true;
    record.recording().requests.add(*request, pending);
  }
  return result;
}

}  // namespace finegrain::recorder
