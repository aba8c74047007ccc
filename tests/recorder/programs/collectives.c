// SPDX-License-Identifier: MIT
// Every blocking collective once: a transpose by alltoall, a sort by alltoallv, and the others.
#include <mpi.h>
#include <stdlib.h>

enum { most = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double a[most * 8] = {0}, b[most * 8] = {0};
  int counts[most], starts[most], others[most];
  MPI_Datatype types[most];
  for (int r = 0; r < ranks; ++r) {
    counts[r] = rank + 1;  // to each rank
    others[r] = r + 1;     // from each
    types[r] = MPI_DOUBLE;
    starts[r] = 7 * r;
  }
  MPI_Bcast(a, 10, MPI_DOUBLE, 1 % ranks, MPI_COMM_WORLD);
  MPI_Gather(a, 3, MPI_DOUBLE, b, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : a, 3, MPI_DOUBLE, b, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(a, 4, MPI_INT, b, 4, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(a, 5, MPI_DOUBLE, b, 5, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoallv(a, counts, starts, MPI_DOUBLE, b, others, starts, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r)
    starts[r] *= 8;
  MPI_Alltoallw(a, counts, starts, types, b, others, starts, types, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r)
    starts[r] /= 8;
  MPI_Gatherv(a, rank + 1, MPI_DOUBLE, b, others, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatterv(a, others, starts, MPI_DOUBLE, b, rank + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(a, rank + 1, MPI_DOUBLE, b, others, starts, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Reduce(a, b, 11, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, b, 12, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce_scatter(a, b, others, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(a, b, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(a, b, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(a, b, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
