// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>
#include <vector>

#include "kernels/recorder/call.hpp"

namespace finegrain::recorder {

/// Elements that a collective call is about.
struct Elements {
  std::int64_t count;
  MPI_Datatype type;

  std::int64_t bytes() const { return size_bytes(count, type); }
};

inline std::int32_t element_bytes(MPI_Datatype type) {
  return static_cast<std::int32_t>(size_bytes(1, type));
}

inline bool is_commutative(MPI_Op operation) {
  int is = 1;
  real.MPI_Op_commutative(operation, &is);
  return is != 0;
}

/// Records a collective call that has succeeded.
/// @param request  of a nonblocking one, else none
/// @param describe  (const Communicator&, std::vector<std::int64_t>& sizes) -> Collective
template <class Describe>
void record_collective(const Call& call, int result, MPI_Comm comm, const MPI_Request* request,
                       Describe describe) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Recording& recording = record.recording();
  const Communicator& communicator = *recording.communicators.of(comm);
  Pending pending;
  pending.address = request;
  recording.sizes.clear();
  Collective collective = describe(communicator, recording.sizes);
  // Between two groups, only a barrier means the same as within one. The trace cannot say the others.
  const bool has_word = !communicator.is_inter || collective.kind == CollectiveKind::barrier;
  if (communicator.is_in_run() && has_word) {
    collective.blocking = request == nullptr;
    collective.communicator = communicator.number;
    pending.number = record.collective(collective, recording.sizes);
  } else {
    record.signature().timed();
    pending.is_outside = true;
  }
  if (request != nullptr) recording.requests.add(*request, pending);
}

}  // namespace finegrain::recorder

/// Defines what records a collective function and its nonblocking form.
/// @param parameters  (void* buffer, int count)  as the blocking one declares them
/// @param arguments  (buffer, count)
/// @param ...  what it does: a Collective, of `communicator`, its arguments and `sizes`, which may be filled
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FINEGRAIN_LIST(...) __VA_ARGS__
#define RECORD_COLLECTIVE(blocking, nonblocking, parameters, arguments, ...)                             \
  int recorded::blocking(FINEGRAIN_LIST parameters, MPI_Comm comm) {                                     \
    const Call call(Function::blocking);                                                                 \
    const int result = real.blocking(FINEGRAIN_LIST arguments, comm);                                    \
    record_collective(call, result, comm, nullptr,                                                       \
                      [&]([[maybe_unused]] const Communicator& communicator,                             \
                          [[maybe_unused]] std::vector<std::int64_t>& sizes) -> Collective __VA_ARGS__); \
    return result;                                                                                       \
  }                                                                                                      \
  int recorded::nonblocking(FINEGRAIN_LIST parameters, MPI_Comm comm, MPI_Request* request) {            \
    const Call call(Function::nonblocking);                                                              \
    const int result = real.nonblocking(FINEGRAIN_LIST arguments, comm, request);                        \
    record_collective(call, result, comm, request,                                                       \
                      [&]([[maybe_unused]] const Communicator& communicator,                             \
                          [[maybe_unused]] std::vector<std::int64_t>& sizes) -> Collective __VA_ARGS__); \
    return result;                                                                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)
