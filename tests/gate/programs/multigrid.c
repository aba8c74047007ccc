// SPDX-License-Identifier: MIT
// V-cycles: each level has a quarter of the points of the one above, and its own exchange of edges.
#include "common.h"

#define LEVELS 4

//@ function
static void exchange(double* u, double* ghosts, int values, int up, int down, MPI_Request* requests) {
  MPI_Irecv(ghosts, 2 * values, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(u, values, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &requests[1]);
  //= size:edges MPI_Isend(u, 2 * values, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &requests[1]);
  //= blocking:edges MPI_Send(u, values, MPI_DOUBLE, down, 3, MPI_COMM_WORLD), requests[1] = MPI_REQUEST_NULL;
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  double residual, all;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
  double *u = field(), *v = field(), *ghosts = field();
  MPI_Request requests[2];
  for (int cycle = 0; cycle < 40; ++cycle) {
    for (int level = 0; level < LEVELS; ++level) {
      exchange(u, ghosts, 2000 >> level, up, down, requests);
      //+ overlap:levels MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      sweep(v, u, 800 >> (2 * level));
      //= imbalance:smoother sweep(v, u, more(800 >> (2 * level), rank == RANK));
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      //- overlap:levels
    }
    MPI_Allgather(u, 16, MPI_DOUBLE, ghosts, 16, MPI_DOUBLE, MPI_COMM_WORLD);
    //= size:coarse MPI_Allgather(u, 32, MPI_DOUBLE, ghosts, 32, MPI_DOUBLE, MPI_COMM_WORLD);
    //= pieces:coarse for (int p = 0; p < 16; ++p) MPI_Allgather(u + p, 1, MPI_DOUBLE, ghosts + p * ranks, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    sweep(u, v, 600);
    //= imbalance:prolongation sweep(u, v, more(600, rank == RANK));
    residual = u[COLUMNS];
    MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
