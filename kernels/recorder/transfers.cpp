// SPDX-License-Identifier: MIT
// One-sided transfers. Their sizes are the bytes of one direction: what the target's memory gets or gives.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

/// @param request  the one that some forms make, else none: then a synchronization of the window completes it
void record_transfer(const Call& call, int result, TransferKind kind, MPI_Win win, int target, int count,
                     MPI_Datatype type, const MPI_Request* request = nullptr) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Window* const window = record.recording().windows.of(win);
  Pending pending;
  pending.address = request;
  const bool is_to_none = target == MPI_PROC_NULL;
  const std::int32_t peer = window == nullptr || is_to_none ? -1 : window->rank_of_run(target);
  if (peer < 0 && !is_to_none) {
    record.signature().timed();
    pending.is_outside = true;
  } else if (peer >= 0) {
    pending.number = record.post(
        {.kind = kind, .peer = peer, .communicator = window->number, .size_bytes = size_bytes(count, type)});
    if (request == nullptr) window->open.push_back({pending.number, peer});
  }
  if (request != nullptr) record.recording().requests.add(*request, pending);
}

}  // namespace

#define RECORD_TRANSFER(name, with_request, kind, buffer)                                                    \
  int recorded::name(buffer own, int count, MPI_Datatype type, int target, MPI_Aint start, int target_count, \
                     MPI_Datatype target_type, MPI_Win win) {                                                \
    const Call call(Function::name);                                                                         \
    const int result = real.name(own, count, type, target, start, target_count, target_type, win);           \
    record_transfer(call, result, kind, win, target, target_count, target_type);                             \
    return result;                                                                                           \
  }                                                                                                          \
  int recorded::with_request(buffer own, int count, MPI_Datatype type, int target, MPI_Aint start,           \
                             int target_count, MPI_Datatype target_type, MPI_Win win,                        \
                             MPI_Request* request) {                                                         \
    const Call call(Function::with_request);                                                                 \
    const int result =                                                                                       \
        real.with_request(own, count, type, target, start, target_count, target_type, win, request);         \
    record_transfer(call, result, kind, win, target, target_count, target_type, request);                    \
    return result;                                                                                           \
  }

RECORD_TRANSFER(MPI_Put, MPI_Rput, TransferKind::put, const void*)
RECORD_TRANSFER(MPI_Get, MPI_Rget, TransferKind::get, void*)

int recorded::MPI_Accumulate(const void* own, int count, MPI_Datatype type, int target, MPI_Aint start,
                             int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win win) {
  const Call call(Function::MPI_Accumulate);
  const int result =
      real.MPI_Accumulate(own, count, type, target, start, target_count, target_type, operation, win);
  record_transfer(call, result, TransferKind::accumulate, win, target, target_count, target_type);
  return result;
}

int recorded::MPI_Raccumulate(const void* own, int count, MPI_Datatype type, int target, MPI_Aint start,
                              int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win win,
                              MPI_Request* request) {
  const Call call(Function::MPI_Raccumulate);
  const int result = real.MPI_Raccumulate(own, count, type, target, start, target_count, target_type,
                                          operation, win, request);
  record_transfer(call, result, TransferKind::accumulate, win, target, target_count, target_type, request);
  return result;
}

int recorded::MPI_Get_accumulate(const void* own, int count, MPI_Datatype type, void* before,
                                 int before_count, MPI_Datatype before_type, int target, MPI_Aint start,
                                 int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win win) {
  const Call call(Function::MPI_Get_accumulate);
  const int result = real.MPI_Get_accumulate(own, count, type, before, before_count, before_type, target,
                                             start, target_count, target_type, operation, win);
  record_transfer(call, result, TransferKind::fetch, win, target, target_count, target_type);
  return result;
}

int recorded::MPI_Rget_accumulate(const void* own, int count, MPI_Datatype type, void* before,
                                  int before_count, MPI_Datatype before_type, int target, MPI_Aint start,
                                  int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win win,
                                  MPI_Request* request) {
  const Call call(Function::MPI_Rget_accumulate);
  const int result = real.MPI_Rget_accumulate(own, count, type, before, before_count, before_type, target,
                                              start, target_count, target_type, operation, win, request);
  record_transfer(call, result, TransferKind::fetch, win, target, target_count, target_type, request);
  return result;
}

int recorded::MPI_Fetch_and_op(const void* own, void* before, MPI_Datatype type, int target, MPI_Aint start,
                               MPI_Op operation, MPI_Win win) {
  const Call call(Function::MPI_Fetch_and_op);
  const int result = real.MPI_Fetch_and_op(own, before, type, target, start, operation, win);
  record_transfer(call, result, TransferKind::fetch, win, target, 1, type);
  return result;
}

int recorded::MPI_Compare_and_swap(const void* own, const void* compared, void* before, MPI_Datatype type,
                                   int target, MPI_Aint start, MPI_Win win) {
  const Call call(Function::MPI_Compare_and_swap);
  const int result = real.MPI_Compare_and_swap(own, compared, before, type, target, start, win);
  record_transfer(call, result, TransferKind::fetch, win, target, 1, type);
  return result;
}

}  // namespace finegrain::recorder
