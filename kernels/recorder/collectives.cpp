// SPDX-License-Identifier: MIT
// Collectives in which all ranks have the same sizes. If a buffer is MPI_IN_PLACE, its count and type mean
// nothing, and the other buffer's are used.
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
  collective.commutative = root == MPI_PROC_NULL || is_commutative(operation);
  return collective;
}

/// What one rank sends to another in a collective that may be in place.
Elements sent_or_received(const void* sent, const Elements& sent_elements,
                          const Elements& received_elements) {
  return sent == MPI_IN_PLACE ? received_elements : sent_elements;
}

}  // namespace

void post_collective(Record& record, const Communicator& communicator, Collective collective,
                     const std::vector<std::int64_t>& sizes, const MPI_Request* request) {
  Pending pending;
  pending.address = request;
  collective.blocking = request == nullptr;
  collective.communicator = communicator.number;
  if (communicator.is_in_run()) {
    // A barrier between two groups is recorded as one of all their ranks.
    const bool is_within = !communicator.is_inter || collective.kind == CollectiveKind::barrier;
    pending.number = is_within ? record.collective(collective, sizes)
                               : record_between_groups(record, communicator, collective, sizes);
  }
  const bool is_told = communicator.is_in_run() && (collective.blocking || pending.number != Pending::none);
  if (!is_told) {
    record.signature().timed();
    pending.is_outside = true;
  }
  if (request != nullptr) record.recording().requests.add(*request, pending);
}

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

#ifdef FINEGRAIN_HAS_MPI_Barrier_init
int recorded::MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Call call(Function::MPI_Barrier_init);
  const int result = real.MPI_Barrier_init(comm, info, request);
  record_persistent(call, result, comm, request, [](const Communicator&, auto&) { return Collective{}; });
  return result;
}
#endif

RECORD_COLLECTIVE(MPI_Bcast, MPI_Ibcast, (void* buffer, int count, MPI_Datatype type, int root),
                  (buffer, count, type, root), {
                    const Elements elements = {count, type};
                    return of_kind(CollectiveKind::broadcast,
                                   elements_of(communicator, root, elements, elements), root);
                  })

RECORD_COLLECTIVE(MPI_Gather, MPI_Igather,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_count, received_type, root), {
                    const Elements own = {sent_count, sent_type};
                    const bool is_of_others = communicator.is_inter || sent == MPI_IN_PLACE;
                    return of_kind(
                        CollectiveKind::gather,
                        elements_of(communicator, root,
                                    is_of_others ? Elements{received_count, received_type} : own, own),
                        root);
                  })

RECORD_COLLECTIVE(MPI_Scatter, MPI_Iscatter,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_count, received_type, root), {
                    return of_kind(CollectiveKind::scatter,
                                   elements_of(communicator, root, {sent_count, sent_type},
                                               {received_count, received_type}),
                                   root);
                  })

RECORD_COLLECTIVE(MPI_Allgather, MPI_Iallgather,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type), {
                    if (communicator.is_inter) sizes.push_back(size_bytes(received_count, received_type));
                    return of_kind(
                        CollectiveKind::allgather,
                        sent_or_received(sent, {sent_count, sent_type}, {received_count, received_type}));
                  })

RECORD_COLLECTIVE(MPI_Alltoall, MPI_Ialltoall,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type), {
                    if (communicator.is_inter) {
                      const auto remote = static_cast<std::size_t>(communicator.remote_ranks());
                      sizes.assign(remote, size_bytes(sent_count, sent_type));
                      sizes.insert(sizes.end(), remote, size_bytes(received_count, received_type));
                    }
                    return of_kind(
                        CollectiveKind::alltoall,
                        sent_or_received(sent, {sent_count, sent_type}, {received_count, received_type}));
                  })

RECORD_COLLECTIVE(MPI_Reduce, MPI_Ireduce,
                  (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation,
                   int root),
                  (sent, received, count, type, operation, root), {
                    const Elements elements = {count, type};
                    return reduction(CollectiveKind::reduce,
                                     elements_of(communicator, root, elements, elements), operation, root);
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
