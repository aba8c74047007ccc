// SPDX-License-Identifier: MIT
// Sweeps over a grid: each rank waits for its left neighbour's column, and passes its own on.
#include "common.h"

//@ function
static void front(int rank, int ranks, double* u, double* v, int rows) {
  if (rank > 0) MPI_Recv(u, 800, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  //= pieces:front for (int p = 0; p < 4 && rank > 0; ++p) MPI_Recv(u + p * 100, 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sweep(v, u, rows);
  if (rank < ranks - 1) MPI_Send(v, 400, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  //= size:front if (rank < ranks - 1) MPI_Send(v, 800, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  //= pieces:front for (int p = 0; p < 4 && rank < ranks - 1; ++p) MPI_Send(v + p * 100, 100, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  double flux, all;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *u = field(), *v = field();
  for (int octant = 0; octant < 24; ++octant) {
    for (int block = 0; block < 4; ++block) front(rank, ranks, u, v, 250);
    sweep(u, v, 900);
    //= imbalance:source sweep(u, v, more(900, rank == RANK));
    MPI_Barrier(MPI_COMM_WORLD);
    sweep(v, u, 900);
    //= imbalance:scatter sweep(v, u, more(900, rank == RANK));
    flux = sum_of(v, 10000);
    MPI_Allreduce(&flux, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    //= size:flux double two[2] = {flux, 0}, most[2]; MPI_Allreduce(two, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
