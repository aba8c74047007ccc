// SPDX-License-Identifier: MIT
// Collectives in which each rank says how much it has for each other: the v and w forms.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

using Sizes = std::vector<std::int64_t>;

void append(Sizes& sizes, int ranks, const int counts[], MPI_Datatype type) {
  const std::int64_t bytes = type == MPI_DATATYPE_NULL ? 0 : size_bytes(1, type);
  for (int rank = 0; rank < ranks; ++rank)
    sizes.push_back(counts[rank] * bytes);
}

void append(Sizes& sizes, int ranks, const int counts[], const MPI_Datatype types[]) {
  for (int rank = 0; rank < ranks; ++rank)
    sizes.push_back(size_bytes(counts[rank], types[rank]));
}

/// For how many ranks a rank says how much it has for each of them, or each of them for it.
int others(const Communicator& communicator) {
  return communicator.is_inter ? communicator.remote_ranks() : communicator.size();
}

bool is_root_of(const Communicator& communicator, int root) {
  return communicator.is_inter ? root == MPI_ROOT : communicator.rank == root;
}

/// The sum of the first `ranks` sizes.
std::int64_t sum(const Sizes& sizes, int ranks) {
  return std::accumulate(sizes.begin(), sizes.begin() + ranks, std::int64_t{0});
}

}  // namespace

RECORD_COLLECTIVE(MPI_Gatherv, MPI_Igatherv,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int received_counts[], const int starts[], MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_counts, starts, received_type, root), {
                    const bool is_root = is_root_of(communicator, root);
                    if (is_root) append(sizes, others(communicator), received_counts, received_type);
                    const Elements sending = {sent_count, sent_type};
                    const Elements own = elements_of(
                        communicator, root,
                        communicator.is_inter  ? Elements{0, received_type}
                        : sent == MPI_IN_PLACE ? Elements{is_root ? received_counts[root] : 0, received_type}
                                               : sending,
                        sending);
                    return {.kind = CollectiveKind::gatherv,
                            .root = root,
                            .element_bytes = element_bytes(own.type),
                            .size_bytes = own.bytes()};
                  })

// The size is that of the rank's own block.
RECORD_COLLECTIVE(MPI_Scatterv, MPI_Iscatterv,
                  (const void* sent, const int sent_counts[], const int starts[], MPI_Datatype sent_type,
                   void* received, int received_count, MPI_Datatype received_type, int root),
                  (sent, sent_counts, starts, sent_type, received, received_count, received_type, root), {
                    const bool is_root = is_root_of(communicator, root);
                    if (is_root) append(sizes, others(communicator), sent_counts, sent_type);
                    const int own_count = is_root && !communicator.is_inter ? sent_counts[root] : 0;
                    const Elements own = elements_of(communicator, root, {own_count, sent_type},
                                                     {received_count, received_type});
                    return {.kind = CollectiveKind::scatterv,
                            .root = root,
                            .element_bytes = element_bytes(own.type),
                            .size_bytes = own.bytes()};
                  })

RECORD_COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int received_counts[], const int starts[], MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_counts, starts, received_type), {
                    append(sizes, others(communicator), received_counts, received_type);
                    return {.kind = CollectiveKind::allgatherv,
                            .element_bytes = element_bytes(received_type),
                            .size_bytes = communicator.is_inter
                                              ? size_bytes(sent_count, sent_type)
                                              : sizes[static_cast<std::size_t>(communicator.rank)]};
                  })

RECORD_COLLECTIVE(
    MPI_Alltoallv, MPI_Ialltoallv,
    (const void* sent, const int sent_counts[], const int sent_starts[], MPI_Datatype sent_type,
     void* received, const int received_counts[], const int received_starts[], MPI_Datatype received_type),
    (sent, sent_counts, sent_starts, sent_type, received, received_counts, received_starts, received_type), {
      const bool is_in_place = sent == MPI_IN_PLACE;
      const MPI_Datatype type = is_in_place ? received_type : sent_type;
      append(sizes, others(communicator), is_in_place ? received_counts : sent_counts, type);
      append(sizes, others(communicator), received_counts, received_type);
      return {.kind = CollectiveKind::alltoallv,
              .element_bytes = element_bytes(type),
              .size_bytes = sum(sizes, others(communicator))};
    })

RECORD_COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw,
                  (const void* sent, const int sent_counts[], const int sent_starts[],
                   const MPI_Datatype sent_types[], void* received, const int received_counts[],
                   const int received_starts[], const MPI_Datatype received_types[]),
                  (sent, sent_counts, sent_starts, sent_types, received, received_counts, received_starts,
                   received_types),
                  {
                    const bool is_in_place = sent == MPI_IN_PLACE;
                    append(sizes, others(communicator), is_in_place ? received_counts : sent_counts,
                           is_in_place ? received_types : sent_types);
                    append(sizes, others(communicator), received_counts, received_types);
                    return {.kind = CollectiveKind::alltoallw,
                            .size_bytes = sum(sizes, others(communicator))};
                  })

RECORD_COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter,
                  (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op operation),
                  (sent, received, counts, type, operation), {
                    append(sizes, communicator.local_ranks, counts, type);
                    return {.kind = CollectiveKind::reduce_scatter,
                            .commutative = is_commutative(operation),
                            .element_bytes = element_bytes(type),
                            .size_bytes = sum(sizes, communicator.local_ranks)};
                  })

}  // namespace finegrain::recorder
