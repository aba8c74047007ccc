// SPDX-License-Identifier: MIT
// Particles: blocks of them go round a ring while forces are computed, and some change their owner.
#include "common.h"

#define BODIES 6000

//@ function
static void migrate(double* leaving, double* coming, int next, int last) {
  MPI_Sendrecv(leaving, 100, MPI_DOUBLE, next, 7, coming, 400, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  //= size:leaving MPI_Sendrecv(leaving, 200, MPI_DOUBLE, next, 7, coming, 400, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  //= pieces:leaving for (int p = 0; p < 20; ++p) MPI_Sendrecv(leaving, 5, MPI_DOUBLE, next, 7, coming, 20, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  double *own = field(), *passing = field(), *coming = field(), *force = field();
  MPI_Request requests[2];
  for (int step = 0; step < 25; ++step) {
    for (int hop = 0; hop < ranks - 1; ++hop) {
      MPI_Irecv(coming, 2 * BODIES, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(passing, BODIES, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
      //= size:ring MPI_Isend(passing, 2 * BODIES, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
      //= blocking:ring MPI_Send(passing, BODIES, MPI_DOUBLE, next, 0, MPI_COMM_WORLD), requests[1] = MPI_REQUEST_NULL;
      //+ overlap:ring MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      sweep(force, own, 500);
      //= imbalance:forces sweep(force, own, more(500, rank == RANK));
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      //- overlap:ring
      memcpy(passing, coming, sizeof(double) * BODIES);
    }
    sweep(own, force, 700);
    //= imbalance:motion sweep(own, force, more(700, rank == RANK));
    migrate(own, coming, next, last);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
