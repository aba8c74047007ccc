// SPDX-License-Identifier: MIT
// Functions that make and free communicators. A function that all ranks of a communicator call costs as much
// as a barrier on it; MPI_Comm_create_group as much as a barrier on the communicator that it makes.
#include <fmt/core.h>

#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

void barrier_on(Record& record, const Communicator& communicator) {
  if (communicator.is_in_run()) {
    record.collective({.communicator = communicator.number});
  } else {
    record.signature().timed();
  }
}

/// Records a call in which all ranks of `parent` have made `comm`, or have no part in it.
void record_made(const Call& call, int result, MPI_Comm parent, const MPI_Comm* comm) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  const CommunicatorPtr& communicator = record.recording().communicators.of(parent);
  barrier_on(record, *communicator);
  record.recording().communicators.made(*comm, function_names[static_cast<std::size_t>(call.function())],
                                        communicator.get());
}

}  // namespace

/// @param parameters  what the function has between the parent and the new communicator
#define RECORD_MAKER(name, parameters, arguments)                               \
  int recorded::name(MPI_Comm comm, FINEGRAIN_LIST parameters MPI_Comm* made) { \
    const Call call(Function::name);                                            \
    const int result = real.name(comm, FINEGRAIN_LIST arguments made);          \
    record_made(call, result, comm, made);                                      \
    return result;                                                              \
  }

RECORD_MAKER(MPI_Comm_dup, (), ())
RECORD_MAKER(MPI_Comm_dup_with_info, (MPI_Info info, ), (info, ))
RECORD_MAKER(MPI_Comm_split, (int color, int key, ), (color, key, ))
RECORD_MAKER(MPI_Comm_split_type, (int type, int key, MPI_Info info, ), (type, key, info, ))
RECORD_MAKER(MPI_Comm_create, (MPI_Group group, ), (group, ))
RECORD_MAKER(MPI_Cart_create, (int dimensions, const int sizes[], const int periods[], int reorder, ),
             (dimensions, sizes, periods, reorder, ))
RECORD_MAKER(MPI_Cart_sub, (const int remaining[], ), (remaining, ))
RECORD_MAKER(MPI_Graph_create, (int nodes, const int index[], const int edges[], int reorder, ),
             (nodes, index, edges, reorder, ))
RECORD_MAKER(MPI_Dist_graph_create,
             (int nodes, const int sources[], const int degrees[], const int destinations[],
              const int weights[], MPI_Info info, int reorder, ),
             (nodes, sources, degrees, destinations, weights, info, reorder, ))
RECORD_MAKER(MPI_Dist_graph_create_adjacent,
             (int in, const int sources[], const int in_weights[], int out, const int destinations[],
              const int out_weights[], MPI_Info info, int reorder, ),
             (in, sources, in_weights, out, destinations, out_weights, info, reorder, ))
RECORD_MAKER(MPI_Intercomm_merge, (int high, ), (high, ))

namespace {

/// The new communicator may be used when the request is complete. Its handle is known at the call, and kept:
/// the variable that takes it may be a Fortran wrapper's own, which is gone by then.
void record_making(const Call& call, int result, MPI_Comm comm, const MPI_Comm* made,
                   const MPI_Request* request) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Communicators& communicators = record.recording().communicators;
  const CommunicatorPtr& parent = communicators.of(comm);
  Pending pending;
  pending.address = request;
  if (parent->is_in_run())
    pending.number = record.collective({.blocking = false, .communicator = parent->number});
  pending.created = *made;
  pending.communicator = communicators.begin_duplicate(*parent);
  record.recording().requests.add(*request, pending);
}

}  // namespace

int recorded::MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  const Call call(Function::MPI_Comm_idup);
  const int result = real.MPI_Comm_idup(comm, made, request);
  record_making(call, result, comm, made, request);
  return result;
}

#ifdef FINEGRAIN_HAS_MPI_Comm_idup_with_info
int recorded::MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  const Call call(Function::MPI_Comm_idup_with_info);
  const int result = real.MPI_Comm_idup_with_info(comm, info, made, request);
  record_making(call, result, comm, made, request);
  return result;
}
#endif

int recorded::MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  const Call call(Function::MPI_Comm_create_group);
  const int result = real.MPI_Comm_create_group(comm, group, tag, made);
  if (Record record(call); record && result == MPI_SUCCESS && *made != MPI_COMM_NULL) {
    Communicators& communicators = record.recording().communicators;
    const CommunicatorPtr parent = communicators.of(comm);
    // Threads that call this at once tell their communicators apart by the tag.
    communicators.made(*made, fmt::format("MPI_Comm_create_group {}", tag), parent.get());
    barrier_on(record, *communicators.of(*made));
  }
  return result;
}

int recorded::MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag,
                                   MPI_Comm* made) {
  const Call call(Function::MPI_Intercomm_create);
  const int result = real.MPI_Intercomm_create(comm, leader, peers, remote_leader, tag, made);
  if (Record record(call); record && result == MPI_SUCCESS) {
    Communicators& communicators = record.recording().communicators;
    communicators.made(*made, "MPI_Intercomm_create", nullptr);
    barrier_on(record, *communicators.of(*made));
  }
  return result;
}

namespace {

/// An outer call may still be about a communicator that is freed inside it, by an error handler.
void record_freed(const Record& record, MPI_Comm comm) {
  if (record && !is_in_inner_call()) record.recording().communicators.is_free(comm);
}

}  // namespace

int recorded::MPI_Comm_free(MPI_Comm* comm) {
  const Call call(Function::MPI_Comm_free);
  const MPI_Comm before = comm == nullptr ? MPI_Comm{} : *comm;
  const int result = real.MPI_Comm_free(comm);
  const Record record(call);
  record_freed(record, before);
  return result;
}

int recorded::MPI_Comm_disconnect(MPI_Comm* comm) {
  const Call call(Function::MPI_Comm_disconnect);
  const MPI_Comm before = comm == nullptr ? MPI_Comm{} : *comm;
  const int result = real.MPI_Comm_disconnect(comm);
  if (const Record record(call); record) {
    record.signature().timed();
    record_freed(record, before);
  }
  return result;
}

}  // namespace finegrain::recorder
