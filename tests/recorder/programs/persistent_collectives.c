// SPDX-License-Identifier: MIT
// All persistent collectives, which are an extension of Open MPI, made once and started three times. With
// -DPLAIN the nonblocking ones, three times. On 64 ranks at most.
#include <mpi.h>
#ifndef PLAIN
#include <mpi-ext.h>
#endif

enum { collectives = 22, most_ranks = 64, elements = 4 * most_ranks };

static double in[elements], out[collectives][elements];

#ifdef PLAIN
#define MAKE(name, nonblocking, ...) nonblocking(__VA_ARGS__, &requests[made]), ++made
#else
#define MAKE(name, nonblocking, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &requests[made]), ++made
#endif

static const int two[] = {2, 2}, starts_of_two[] = {0, 2};
static const MPI_Aint bytes_to_two[] = {0, 2 * sizeof(double)};
// As many for each rank, and where they begin.
static int counts[most_ranks], starts[most_ranks], byte_starts[most_ranks];
static MPI_Datatype types[most_ranks];

static void make_all(MPI_Comm all, MPI_Comm ring, MPI_Request* requests) {
  int rank, made = 0;
  MPI_Comm_rank(all, &rank);
  MAKE(Barrier, MPI_Ibarrier, all);
  MAKE(Bcast, MPI_Ibcast, out[made], 10, MPI_DOUBLE, 1, all);
  MAKE(Gather, MPI_Igather, in, 2, MPI_DOUBLE, out[made], 2, MPI_DOUBLE, 1, all);
  MAKE(Gatherv, MPI_Igatherv, in, counts[rank], MPI_DOUBLE, out[made], counts, starts, MPI_DOUBLE, 0, all);
  MAKE(Scatter, MPI_Iscatter, in, 2, MPI_DOUBLE, out[made], 2, MPI_DOUBLE, 0, all);
  MAKE(Scatterv, MPI_Iscatterv, in, counts, starts, MPI_DOUBLE, out[made], counts[rank], MPI_DOUBLE, 1, all);
  MAKE(Allgather, MPI_Iallgather, in, 3, MPI_DOUBLE, out[made], 3, MPI_DOUBLE, all);
  MAKE(Allgatherv, MPI_Iallgatherv, in, counts[rank], MPI_DOUBLE, out[made], counts, starts, MPI_DOUBLE, all);
  MAKE(Alltoall, MPI_Ialltoall, in, 1, MPI_DOUBLE, out[made], 1, MPI_DOUBLE, all);
  // Each rank gets as many from each as it has itself.
  static int own[most_ranks];
  for (int i = 0; i < most_ranks; ++i)
    own[i] = counts[rank];
  MAKE(Alltoallv, MPI_Ialltoallv, in, counts, starts, MPI_DOUBLE, out[made], own, starts, MPI_DOUBLE, all);
  MAKE(Alltoallw, MPI_Ialltoallw, in, counts, byte_starts, types, out[made], own, byte_starts, types, all);
  MAKE(Reduce, MPI_Ireduce, in, out[made], 5, MPI_DOUBLE, MPI_SUM, 1, all);
  MAKE(Allreduce, MPI_Iallreduce, in, out[made], 20, MPI_DOUBLE, MPI_SUM, all);
  MAKE(Reduce_scatter, MPI_Ireduce_scatter, in, out[made], counts, MPI_DOUBLE, MPI_SUM, all);
  MAKE(Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out[made], 2, MPI_DOUBLE, MPI_SUM, all);
  MAKE(Scan, MPI_Iscan, in, out[made], 6, MPI_DOUBLE, MPI_SUM, all);
  MAKE(Exscan, MPI_Iexscan, in, out[made], 7, MPI_DOUBLE, MPI_SUM, all);
  MAKE(Neighbor_allgather, MPI_Ineighbor_allgather, in, 2, MPI_DOUBLE, out[made], 2, MPI_DOUBLE, ring);
  MAKE(Neighbor_allgatherv, MPI_Ineighbor_allgatherv, in, 2, MPI_DOUBLE, out[made], two, starts_of_two,
       MPI_DOUBLE, ring);
  MAKE(Neighbor_alltoall, MPI_Ineighbor_alltoall, in, 2, MPI_DOUBLE, out[made], 2, MPI_DOUBLE, ring);
  MAKE(Neighbor_alltoallv, MPI_Ineighbor_alltoallv, in, two, starts_of_two, MPI_DOUBLE, out[made], two,
       starts_of_two, MPI_DOUBLE, ring);
  MAKE(Neighbor_alltoallw, MPI_Ineighbor_alltoallw, in, two, bytes_to_two, types, out[made], two,
       bytes_to_two, types, ring);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < most_ranks; ++i) {
    counts[i] = 1 + i % 3;
    starts[i] = 3 * i;
    byte_starts[i] = starts[i] * (int)sizeof(double);
    types[i] = MPI_DOUBLE;
  }
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Request requests[collectives];
  for (int step = 0; step < 3; ++step) {
#ifdef PLAIN
    make_all(MPI_COMM_WORLD, ring, requests);
#else
    if (step == 0) make_all(MPI_COMM_WORLD, ring, requests);
    MPI_Start(&requests[0]);
    MPI_Startall(collectives - 1, requests + 1);
#endif
    MPI_Waitall(collectives, requests, MPI_STATUSES_IGNORE);
  }
#ifndef PLAIN
  for (int i = 0; i < collectives; ++i)
    MPI_Request_free(&requests[i]);
#endif
  MPI_Sendrecv(in, 7, MPI_DOUBLE, (rank + 1) % ranks, 6, out, 7, MPI_DOUBLE, (rank + ranks - 1) % ranks, 6,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
