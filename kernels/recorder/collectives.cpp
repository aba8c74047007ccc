// SPDX-License-Identifier: MIT
// Collectives in which every rank has as much as every other. Where a buffer is MPI_IN_PLACE, its count and
// type mean nothing, and the other buffer's are taken.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

Collective of_kind(CollectiveKind kind, const Elements& elements, int root = 0) {
  return {.kind = kind,
          .root = root,
          .element_bytes = element_bytes(elements.type),
          .size_bytes = elements.bytes()};
}

Collective reduction(CollectiveKind kind, const Elements& elements, MPI_Op operation, int root = 0) {
  Collective collective = of_kind(kind, elements, root);
  collective.commutative = is_commutative(operation);
  return collective;
}

/// What one rank sends to another, of a collective that also may be in place.
Elements sent_or_received(const void* sent, const Elements& sent_elements,
                          const Elements& received_elements) {
  return sent == MPI_IN_PLACE ? received_elements : sent_elements;
}

}  // namespace

int recorded::MPI_Barrier(MPI_Comm comm) {
  const Call call(Function::MPI_Barrier);
  const int result = real.MPI_Barrier(comm);
  record_collective(call, result, comm, nullptr, [](const Communicator&, auto&) { return Collective{}; });
  return result;
}

int recorded::MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Call call(Function::MPI_Ibarrier);
  const int result = real.MPI_Ibarrier(comm, request);
  record_collective(call, result, comm, request, [](const Communicator&, auto&) { return Collective{}; });
  return result;
}

RECORD_COLLECTIVE(MPI_Bcast, MPI_Ibcast, (void* buffer, int count, MPI_Datatype type, int root),
                  (buffer, count, type, root), {
                    return of_kind(CollectiveKind::broadcast, {count, type}, root);
                  })

RECORD_COLLECTIVE(MPI_Gather, MPI_Igather,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_count, received_type, root), {
                    return of_kind(
                        CollectiveKind::gather,
                        sent_or_received(sent, {sent_count, sent_type}, {received_count, received_type}),
                        root);
                  })

RECORD_COLLECTIVE(MPI_Scatter, MPI_Iscatter,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_count, received_type, root), {
                    const bool is_root = communicator.rank == root;
                    return of_kind(
                        CollectiveKind::scatter,
                        is_root ? Elements{sent_count, sent_type} : Elements{received_count, received_type},
                        root);
                  })

RECORD_COLLECTIVE(MPI_Allgather, MPI_Iallgather,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type), {
                    return of_kind(
                        CollectiveKind::allgather,
                        sent_or_received(sent, {sent_count, sent_type}, {received_count, received_type}));
                  })

RECORD_COLLECTIVE(MPI_Alltoall, MPI_Ialltoall,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type), {
                    return of_kind(
                        CollectiveKind::alltoall,
                        sent_or_received(sent, {sent_count, sent_type}, {received_count, received_type}));
                  })

RECORD_COLLECTIVE(MPI_Reduce, MPI_Ireduce,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation,
                   int root),
                  (sent, received, count, type, operation, root), {
                    return reduction(CollectiveKind::reduce, {count, type}, operation, root);
                  })

RECORD_COLLECTIVE(MPI_Allreduce, MPI_Iallreduce,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation),
                  (sent, received, count, type, operation), {
                    return reduction(CollectiveKind::allreduce, {count, type}, operation);
                  })

RECORD_COLLECTIVE(MPI_Scan, MPI_Iscan,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation),
                  (sent, received, count, type, operation), {
                    return reduction(CollectiveKind::scan, {count, type}, operation);
                  })

RECORD_COLLECTIVE(MPI_Exscan, MPI_Iexscan,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation),
                  (sent, received, count, type, operation), {
                    return reduction(CollectiveKind::exscan, {count, type}, operation);
                  })

RECORD_COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation),
                  (sent, received, count, type, operation), {
                    return reduction(CollectiveKind::reduce_scatter_block, {count, type}, operation);
                  })

}  // namespace finegrain::recorder
