// SPDX-License-Identifier: MIT
// Persistent requests: each MPI_Start posts what MPI_Send_init or a similar function described. A message
// in parts is posted when its last part is ready; parts that leave earlier are not distinguished.
#include "kernels/recorder/collectives.hpp"
#include "kernels/recorder/point_to_point.hpp"

namespace finegrain::recorder {

#define RECORD_SEND_INIT(name, mode)                                                                      \
  int recorded::name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,  \
                     MPI_Request* request) {                                                              \
    const Call call(Function::name);                                                                      \
    const int result = real.name(buffer, count, type, peer, tag, comm, request);                          \
    if (Record record(call); record && result == MPI_SUCCESS) {                                           \
      Message message =                                                                                   \
          message_to(*record.recording().communicators.of(comm), peer, tag, count, type, SendMode::mode); \
      record.recording().persistent.insert_or_assign(*request, message);                                  \
    }                                                                                                     \
    return result;                                                                                        \
  }

RECORD_SEND_INIT(MPI_Send_init, standard)
RECORD_SEND_INIT(MPI_Bsend_init, buffered)
RECORD_SEND_INIT(MPI_Rsend_init, standard)
RECORD_SEND_INIT(MPI_Ssend_init, synchronous)

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

/// @param before  the handle that was started: Open MPI starts a buffered send under a new one
void record_start(Record& record, MPI_Request before, const MPI_Request* request) {
  auto& persistent = record.recording().persistent;
  if (before != *request) {
    if (auto renamed = persistent.extract(before)) {
      persistent.erase(*request);
      renamed.key() = *request;
      persistent.insert(std::move(renamed));
    }
  }
  const auto described = persistent.find(*request);
  if (described == persistent.end()) {
    record.signature().timed();  // made by a function whose semantics are not known here
  } else if (const auto* message = std::get_if<Message>(&described->second)) {
    post_nonblocking(record, *message, request);
  } else if (const auto* of_all = std::get_if<PersistentCollective>(&described->second)) {
    post_collective(record, *of_all->communicator, of_all->collective, of_all->sizes, request);
  } else {
    std::get<PartitionedSend>(described->second).ready = 0;
  }
}

}  // namespace

int recorded::MPI_Start(MPI_Request* request) {
  const Call call(Function::MPI_Start);
  const MPI_Request before = copy_of(request);
  const int result = real.MPI_Start(request);
  if (Record record(call); record && result == MPI_SUCCESS) record_start(record, before, request);
  return result;
}

int recorded::MPI_Startall(int count, MPI_Request requests[]) {
  const Call call(Function::MPI_Startall);
  SpareVector<MPI_Request> before = copy_of(count, requests);
  const int result = real.MPI_Startall(count, requests);
  if (Record record(call); record && result == MPI_SUCCESS) {
    for (std::size_t i = 0; i < (*before).size(); ++i)
      record_start(record, (*before)[i], &requests[i]);
  }
  return result;
}

#if MPI_VERSION >= 4
namespace {

/// Messages in parts match only one another, even if other messages have the same tag. Other negative tags
/// are those of windows, and of collectives between two groups.
int tag_in_parts(int tag) {
  return -16 - tag;
}

/// @param count  elements, in all partitions together
void remember_parts(Record& record, const MPI_Request* request, Message message, MPI_Count count,
                    MPI_Datatype type, int partitions, bool is_send) {
  message.post.size_bytes = message.is_in_run() ? size_bytes(count, type) : 0;
  Persistent& persistent = record.recording().persistent[*request];
  if (is_send) {
    persistent = PartitionedSend{message, partitions};
  } else {
    persistent = message;
  }
}

void record_ready(const Call& call, int result, int parts, MPI_Request request) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  const auto described = record.recording().persistent.find(request);
  if (described == record.recording().persistent.end()) return;
  auto& send = std::get<PartitionedSend>(described->second);
  send.ready += parts;
  if (send.ready == send.partitions) post_nonblocking(record, send.message, &request);
}

}  // namespace

int recorded::MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int peer,
                             int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Call call(Function::MPI_Psend_init);
  const int result = real.MPI_Psend_init(buffer, partitions, count, type, peer, tag, comm, info, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    const Communicator& communicator = *record.recording().communicators.of(comm);
    remember_parts(record, request, message_to(communicator, peer, tag_in_parts(tag), 0, type),
                   partitions * count, type, partitions, true);
  }
  return result;
}

int recorded::MPI_Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int peer,
                             int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Call call(Function::MPI_Precv_init);
  const int result = real.MPI_Precv_init(buffer, partitions, count, type, peer, tag, comm, info, request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
    remember_parts(record, request, message_from(communicator, peer, tag_in_parts(tag), 0, type),
                   partitions * count, type, partitions, false);
  }
  return result;
}

int recorded::MPI_Pready(int partition, MPI_Request request) {
  const Call call(Function::MPI_Pready);
  const int result = real.MPI_Pready(partition, request);
  record_ready(call, result, 1, request);
  return result;
}

int recorded::MPI_Pready_range(int first, int last, MPI_Request request) {
  const Call call(Function::MPI_Pready_range);
  const int result = real.MPI_Pready_range(first, last, request);
  record_ready(call, result, last - first + 1, request);
  return result;
}

int recorded::MPI_Pready_list(int length, int partitions[], MPI_Request request) {
  const Call call(Function::MPI_Pready_list);
  const int result = real.MPI_Pready_list(length, partitions, request);
  record_ready(call, result, length, request);
  return result;
}

int recorded::MPI_Parrived(MPI_Request request, int partition, int* is_there) {
  const Call call(Function::MPI_Parrived);
  const int result = real.MPI_Parrived(request, partition, is_there);
  if (result == MPI_SUCCESS && *is_there == 0) {
    record_poll(call,
                [&](Recording& recording) { return recording.requests.has_outside(1, &request, nullptr); });
  } else {
    const Record record(call);
  }
  return result;
}
#endif

}  // namespace finegrain::recorder
