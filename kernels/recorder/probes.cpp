// SPDX-License-Identifier: MIT
// Probes have no operation of their own: what they wait for is the time until a message comes, which its
// receive replays. A matched probe says what its message's receive gets.
#include "kernels/recorder/point_to_point.hpp"

namespace finegrain::recorder {

int recorded::MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call(Function::MPI_Probe);
  const int result = real.MPI_Probe(peer, tag, comm, status);
  const Record record(call);
  return result;
}

int recorded::MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* is_there, MPI_Status* status) {
  const Call call(Function::MPI_Iprobe);
  const int result = real.MPI_Iprobe(peer, tag, comm, is_there, status);
  if (result == MPI_SUCCESS && *is_there == 0) {
    record_poll(call);
  } else {
    const Record record(call);
  }
  return result;
}

namespace {

void remember_matched(Record& record, MPI_Message message, MPI_Comm comm, const MPI_Status& status) {
  if (message == MPI_MESSAGE_NO_PROC) return;
  record.recording().matched.insert_or_assign(
      message, Matched{record.recording().communicators.of(comm), status.MPI_SOURCE, status.MPI_TAG});
}

/// The receive of a message that a probe has matched.
Message matched_message(Record& record, MPI_Message message, int count, MPI_Datatype type) {
  const auto found = record.recording().matched.find(message);
  if (found == record.recording().matched.end()) return {.is_none = true};
  const Matched matched = found->second;
  record.recording().matched.erase(found);
  return message_from(matched.communicator, matched.source, matched.tag, count, type);
}

}  // namespace

int recorded::MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Call call(Function::MPI_Mprobe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Mprobe(peer, tag, comm, message, status);
  if (Record record(call); record && result == MPI_SUCCESS) remember_matched(record, *message, comm, *status);
  return result;
}

int recorded::MPI_Improbe(int peer, int tag, MPI_Comm comm, int* is_there, MPI_Message* message,
                          MPI_Status* status) {
  const Call call(Function::MPI_Improbe);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = real.MPI_Improbe(peer, tag, comm, is_there, message, status);
  if (result == MPI_SUCCESS && *is_there == 0) {
    record_poll(call);
  } else if (Record record(call); record && result == MPI_SUCCESS) {
    remember_matched(record, *message, comm, *status);
  }
  return result;
}

int recorded::MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                        MPI_Status* status) {
  const Call call(Function::MPI_Mrecv);
  const MPI_Message handle = *message;
  const int result = real.MPI_Mrecv(buffer, count, type, message, status);
  if (Record record(call); record && result == MPI_SUCCESS)
    post_blocking(record, matched_message(record, handle, count, type), {});
  return result;
}

int recorded::MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
                         MPI_Request* request) {
  const Call call(Function::MPI_Imrecv);
  const MPI_Message handle = *message;
  const int result = real.MPI_Imrecv(buffer, count, type, message, request);
  if (Record record(call); record && result == MPI_SUCCESS)
    post_nonblocking(record, matched_message(record, handle, count, type), request);
  return result;
}

}  // namespace finegrain::recorder
