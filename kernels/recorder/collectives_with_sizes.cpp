// SPDX-License-Identifier: MIT
// Collectives in which each rank says how much it has for each other: the v and w forms.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

using Sizes = std::vector<std::int64_t>;

void append(Sizes& sizes, int ranks, const int counts[], MPI_Datatype type) {
  const std::int64_t bytes = size_bytes(1, type);
  for (int rank = 0; rank < ranks; ++rank)
    sizes.push_back(counts[rank] * bytes);
}

void append(Sizes& sizes, int ranks, const int counts[], const MPI_Datatype types[]) {
  for (int rank = 0; rank < ranks; ++rank)
    sizes.push_back(size_bytes(counts[rank], types[rank]));
}

/// Of the first `ranks` of them.
std::int64_t sum(const Sizes& sizes, int ranks) {
  return std::accumulate(sizes.begin(), sizes.begin() + ranks, std::int64_t{0});
}

}  // namespace

RECORD_COLLECTIVE(MPI_Gatherv, MPI_Igatherv,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int received_counts[], const int starts[], MPI_Datatype received_type, int root),
                  (sent, sent_count, sent_type, received, received_counts, starts, received_type, root), {
                    const bool is_root = communicator.rank == root && !communicator.is_inter;
                    if (is_root) append(sizes, communicator.size(), received_counts, received_type);
                    const bool is_in_place = is_root && sent == MPI_IN_PLACE;
                    const Elements own = is_in_place ? Elements{received_counts[root], received_type}
                                                     : Elements{sent_count, sent_type};
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
                    const bool is_root = communicator.rank == root && !communicator.is_inter;
                    if (is_root) append(sizes, communicator.size(), sent_counts, sent_type);
                    return {.kind = CollectiveKind::scatterv,
                            .root = root,
                            .element_bytes = element_bytes(is_root ? sent_type : received_type),
                            .size_bytes = is_root ? sizes[static_cast<std::size_t>(root)]
                                                  : size_bytes(received_count, received_type)};
                  })

RECORD_COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int received_counts[], const int starts[], MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_counts, starts, received_type), {
                    if (communicator.is_inter) return {.kind = CollectiveKind::allgatherv};
                    append(sizes, communicator.size(), received_counts, received_type);
                    return {.kind = CollectiveKind::allgatherv,
                            .element_bytes = element_bytes(received_type),
                            .size_bytes = sizes[static_cast<std::size_t>(communicator.rank)]};
                  })

RECORD_COLLECTIVE(
    MPI_Alltoallv, MPI_Ialltoallv,
    (const void* sent, const int sent_counts[], const int sent_starts[], MPI_Datatype sent_type,
     void* received, const int received_counts[], const int received_starts[], MPI_Datatype received_type),
    (sent, sent_counts, sent_starts, sent_type, received, received_counts, received_starts, received_type), {
      if (communicator.is_inter) return {.kind = CollectiveKind::alltoallv};
      const bool is_in_place = sent == MPI_IN_PLACE;
      const MPI_Datatype type = is_in_place ? received_type : sent_type;
      append(sizes, communicator.size(), is_in_place ? received_counts : sent_counts, type);
      append(sizes, communicator.size(), received_counts, received_type);
      return {.kind = CollectiveKind::alltoallv,
              .element_bytes = element_bytes(type),
              .size_bytes = sum(sizes, communicator.size())};
    })

RECORD_COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw,
                  (const void* sent, const int sent_counts[], const int sent_starts[],
                   const MPI_Datatype sent_types[], void* received, const int received_counts[],
                   const int received_starts[], const MPI_Datatype received_types[]),
                  (sent, sent_counts, sent_starts, sent_types, received, received_counts, received_starts,
                   received_types),
                  {
                    if (communicator.is_inter) return {.kind = CollectiveKind::alltoallw};
                    const bool is_in_place = sent == MPI_IN_PLACE;
                    append(sizes, communicator.size(), is_in_place ? received_counts : sent_counts,
                           is_in_place ? received_types : sent_types);
                    append(sizes, communicator.size(), received_counts, received_types);
                    return {.kind = CollectiveKind::alltoallw, .size_bytes = sum(sizes, communicator.size())};
                  })

RECORD_COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter,
                  (const void* sent, void* received, const int counts[], MPI_Datatype type, MPI_Op operation),
                  (sent, received, counts, type, operation), {
                    if (communicator.is_inter) return {.kind = CollectiveKind::reduce_scatter};
                    append(sizes, communicator.size(), counts, type);
                    return {.kind = CollectiveKind::reduce_scatter,
                            .commutative = is_commutative(operation),
                            .element_bytes = element_bytes(type),
                            .size_bytes = sum(sizes, communicator.size())};
                  })

}  // namespace finegrain::recorder
