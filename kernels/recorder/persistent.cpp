// SPDX-License-Identifier: MIT
// Persistent requests: what MPI_Send_init and its like describe is posted by each MPI_Start.
#include "kernels/recorder/point_to_point.hpp"

namespace finegrain::recorder {

#define RECORD_SEND_INIT(name, synchronous)                                                              \
  int recorded::name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                     MPI_Request* request) {                                                             \
    const Call call(Function::name);                                                                     \
    const int result = real.name(buffer, count, type, peer, tag, comm, request);                         \
    if (Record record(call); record && result == MPI_SUCCESS) {                                          \
      Message message = message_to(*record.recording().communicators.of(comm), peer, tag, count, type);  \
      message.post.is_synchronous = synchronous;                                                         \
      record.recording().persistent.insert_or_assign(*request, message);                                 \
    }                                                                                                    \
    return result;                                                                                       \
  }

RECORD_SEND_INIT(MPI_Send_init, false)
RECORD_SEND_INIT(MPI_Bsend_init, false)
RECORD_SEND_INIT(MPI_Rsend_init, false)
RECORD_SEND_INIT(MPI_Ssend_init, true)

int recorded::MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                            MPI_Request* request) {
  const Call call(Function::MPI_Recv_init);
  const int result = real.MPI_Recv_init(buffer, count, type, peer, tag, comm, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    record.recording().persistent.insert_or_assign(
        *request, message_from(record.recording().communicators.of(comm), peer, tag, count, type));
  }
  return result;
}

namespace {

void record_start(Record& record, const MPI_Request* request) {
  const auto described = record.recording().persistent.find(*request);
  if (described == record.recording().persistent.end()) {
    record.signature().timed();  // such as a persistent collective's
  } else {
    post_nonblocking(record, described->second, request);
  }
}

}  // namespace

int recorded::MPI_Start(MPI_Request* request) {
  const Call call(Function::MPI_Start);
  const int result = real.MPI_Start(request);
  if (Record record(call); record && result == MPI_SUCCESS) record_start(record, request);
  return result;
}

int recorded::MPI_Startall(int count, MPI_Request requests[]) {
  const Call call(Function::MPI_Startall);
  const int result = real.MPI_Startall(count, requests);
  if (Record record(call); record && result == MPI_SUCCESS) {
    for (int i = 0; i < count; ++i)
      record_start(record, &requests[i]);
  }
  return result;
}

}  // namespace finegrain::recorder
