// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
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

/// An element of 2 GiB or more, which the trace cannot hold, is taken for elements of one byte.
inline std::int32_t element_bytes(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return 1;
  const std::int64_t bytes = size_bytes(1, type);
  return bytes < 0 || bytes > std::numeric_limits<std::int32_t>::max() ? 1 : static_cast<std::int32_t>(bytes);
}

inline bool is_commutative(MPI_Op operation) {
  int is = 1;
  real.MPI_Op_commutative(operation, &is);
  return is != 0;
}

/// What a rank gives and takes in a collective with a root. Between two groups, only the root and the ranks
/// of the other group take part, and what the others pass means nothing.
inline Elements elements_of(const Communicator& communicator, int root, const Elements& at_root,
                            const Elements& elsewhere) {
  if (!communicator.is_inter) return communicator.rank == root ? at_root : elsewhere;
  if (root == MPI_PROC_NULL) return {0, MPI_BYTE};
  return root == MPI_ROOT ? at_root : elsewhere;
}

/// Records a collective between two groups, as both MPI libraries carry it out: within a group by a
/// collective, and between the groups by messages (docs/recorder.md).
/// @param sizes  as Collective::first_size says, with "each" the ranks of the other group; of an allgather,
///   what each of them sends
/// @returns the request's number in the trace, if it makes one; Pending::none too if it cannot be told
std::int64_t record_between_groups(Record& record, const Communicator& communicator,
                                   const Collective& collective, const std::vector<std::int64_t>& sizes);

/// Notes a collective that begins, and its request if it has one.
/// @param request  a nonblocking or persistent one's, else none
void post_collective(Record& record, const Communicator& communicator, Collective collective,
                     const std::vector<std::int64_t>& sizes, const MPI_Request* request);

/// Records a collective call that has succeeded.
/// @param request  a nonblocking one's, else none
/// @param describe  (const Communicator&, std::vector<std::int64_t>& sizes) -> Collective
template <class Describe>
void record_collective(const Call& call, int result, MPI_Comm comm, const MPI_Request* request,
                       Describe describe) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Recording& recording = record.recording();
  const Communicator& communicator = *recording.communicators.of(comm);
  recording.sizes.clear();
  const Collective collective = describe(communicator, recording.sizes);
  post_collective(record, communicator, collective, recording.sizes, request);
}

/// Remembers what a persistent request is to do.
template <class Describe>
void record_persistent(const Call& call, int result, MPI_Comm comm, const MPI_Request* request,
                       Describe describe) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Communicators& communicators = record.recording().communicators;
  PersistentCollective made = {communicators.of(comm), {}, {}};
  made.collective = describe(*made.communicator, made.sizes);
  // Ranks may start several persistent collectives in different orders, so each gets a communicator of its
  // own.
  if (!made.communicator->is_inter) {
    Communicator own = *made.communicator;
    own.number = communicators.define_like(own, "persistent");
    made.communicator = std::make_shared<const Communicator>(std::move(own));
  }
  record.recording().persistent.insert_or_assign(*request, std::move(made));
}

}  // namespace finegrain::recorder

/// Defines the recording of a collective function, its nonblocking form, and its persistent one where MPI has
/// it.
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
  }                                                                                                      \
  RECORD_PERSISTENT_COLLECTIVE(blocking##_init, parameters, arguments, __VA_ARGS__)
#ifdef FINEGRAIN_HAS_MPI_Barrier_init
#define RECORD_PERSISTENT_COLLECTIVE(name, parameters, arguments, ...)                                   \
  int recorded::name(FINEGRAIN_LIST parameters, MPI_Comm comm, MPI_Info info, MPI_Request* request) {    \
    const Call call(Function::name);                                                                     \
    const int result = real.name(FINEGRAIN_LIST arguments, comm, info, request);                         \
    record_persistent(call, result, comm, request,                                                       \
                      [&]([[maybe_unused]] const Communicator& communicator,                             \
                          [[maybe_unused]] std::vector<std::int64_t>& sizes) -> Collective __VA_ARGS__); \
    return result;                                                                                       \
  }
#else
#define RECORD_PERSISTENT_COLLECTIVE(name, parameters, arguments, ...)
#endif
// NOLINTEND(bugprone-macro-parentheses)
