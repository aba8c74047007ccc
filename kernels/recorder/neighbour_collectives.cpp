// SPDX-License-Identifier: MIT
// Collectives in which each rank exchanges only with its neighbours in a topology. All are described by what
// goes to and comes from each neighbour; neighbours that are MPI_PROC_NULL are left out.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

/// Fills `sizes` as Collective::first_size says of neighbour collectives.
/// @param bytes_to  (n) -> bytes for the n-th destination
/// @param bytes_from  (n) -> bytes from the n-th source
template <class BytesTo, class BytesFrom>
Collective neighbours(CollectiveKind kind, const Communicator& communicator, std::vector<std::int64_t>& sizes,
                      std::int32_t element, BytesTo bytes_to, BytesFrom bytes_from) {
  sizes.assign(2, 0);
  Collective collective = {.kind = kind, .element_bytes = element};
  for (std::size_t n = 0; n < communicator.destinations.size(); ++n) {
    if (communicator.destinations[n] == MPI_PROC_NULL) continue;
    ++sizes[0];
    sizes.insert(sizes.end(), {communicator.destinations[n], bytes_to(n)});
    collective.size_bytes += sizes.back();
  }
  for (std::size_t n = 0; n < communicator.sources.size(); ++n) {
    if (communicator.sources[n] == MPI_PROC_NULL) continue;
    ++sizes[1];
    sizes.insert(sizes.end(), {communicator.sources[n], bytes_from(n)});
  }
  return collective;
}

}  // namespace

#define FINEGRAIN_SAME_TO_ALL(kind)                                                           \
  {                                                                                           \
    const std::int64_t to = size_bytes(sent_count, sent_type);                                \
    const std::int64_t from = size_bytes(received_count, received_type);                      \
    return neighbours(                                                                        \
        kind, communicator, sizes, element_bytes(sent_type), [&](std::size_t) { return to; }, \
        [&](std::size_t) { return from; });                                                   \
  }

RECORD_COLLECTIVE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type),
                  FINEGRAIN_SAME_TO_ALL(CollectiveKind::neighbor_allgather))

RECORD_COLLECTIVE(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int received_count, MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_count, received_type),
                  FINEGRAIN_SAME_TO_ALL(CollectiveKind::neighbor_alltoall))

RECORD_COLLECTIVE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                  (const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int received_counts[], const int starts[], MPI_Datatype received_type),
                  (sent, sent_count, sent_type, received, received_counts, starts, received_type), {
                    const std::int64_t to = size_bytes(sent_count, sent_type);
                    return neighbours(
                        CollectiveKind::neighbor_allgatherv, communicator, sizes, element_bytes(sent_type),
                        [&](std::size_t) { return to; },
                        [&](std::size_t n) { return size_bytes(received_counts[n], received_type); });
                  })

RECORD_COLLECTIVE(
    MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
    (const void* sent, const int sent_counts[], const int sent_starts[], MPI_Datatype sent_type,
     void* received, const int received_counts[], const int received_starts[], MPI_Datatype received_type),
    (sent, sent_counts, sent_starts, sent_type, received, received_counts, received_starts, received_type), {
      return neighbours(
          CollectiveKind::neighbor_alltoallv, communicator, sizes, element_bytes(sent_type),
          [&](std::size_t n) { return size_bytes(sent_counts[n], sent_type); },
          [&](std::size_t n) { return size_bytes(received_counts[n], received_type); });
    })

RECORD_COLLECTIVE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
                  (const void* sent, const int sent_counts[], const MPI_Aint sent_starts[],
                   const MPI_Datatype sent_types[], void* received, const int received_counts[],
                   const MPI_Aint received_starts[], const MPI_Datatype received_types[]),
                  (sent, sent_counts, sent_starts, sent_types, received, received_counts, received_starts,
                   received_types),
                  {
                    return neighbours(
                        CollectiveKind::neighbor_alltoallw, communicator, sizes, 1,
                        [&](std::size_t n) { return size_bytes(sent_counts[n], sent_types[n]); },
                        [&](std::size_t n) { return size_bytes(received_counts[n], received_types[n]); });
                  })

}  // namespace finegrain::recorder
