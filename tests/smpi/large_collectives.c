// SPDX-License-Identifier: MIT
// Blocking collectives of up to 400 kB, one after the other. Of SMPI and of the replay each can be told to
// use the same algorithm.
#include <mpi.h>
#include <stdlib.h>

enum { most = 64, all = 50000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* a = calloc(all, sizeof(double));
  double* b = calloc(all, sizeof(double));
  int counts[most], starts[most], others[most];
  const int block = all / ranks;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = block / (rank % 3 + 1);  // to each rank
    others[r] = block / (r % 3 + 1);     // from each
    starts[r] = r * block;
  }
  MPI_Bcast(a, 10000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Gather(a, block, MPI_DOUBLE, b, block, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Scatter(a, block, MPI_DOUBLE, b, block, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#ifndef WITHOUT_BARRIER  // then ranks begin what follows one after the other
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Allgather(a, block, MPI_DOUBLE, b, block, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Alltoall(a, block, MPI_DOUBLE, b, block, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Alltoallv(a, counts, starts, MPI_DOUBLE, b, others, starts, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Gatherv(a, others[rank], MPI_DOUBLE, b, others, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Scatterv(a, others, starts, MPI_DOUBLE, b, others[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(a, b, 5000, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(a, b, 7000, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}
