// SPDX-License-Identifier: MIT
// A wavefront sweeps over the ranks and back by blocking messages; at the ends the neighbour is
// MPI_PROC_NULL.
#include <mpi.h>

#ifndef FRONT
#define FRONT 50
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double front[FRONT] = {0};
  for (int block = 0; block < 10; ++block) {
    MPI_Recv(front, FRONT, MPI_DOUBLE, before, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(front, FRONT, MPI_DOUBLE, after, block, MPI_COMM_WORLD);
  }
  for (int block = 0; block < 10; ++block) {
    MPI_Recv(front, FRONT, MPI_DOUBLE, after, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(front, FRONT, MPI_DOUBLE, before, block, MPI_COMM_WORLD);
  }
  MPI_Sendrecv(front, 10, MPI_DOUBLE, after, 5, front + 20, 10, MPI_DOUBLE, before, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(front, 10, MPI_DOUBLE, (rank + 1) % ranks, 6, MPI_ANY_SOURCE, MPI_ANY_TAG,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
