// SPDX-License-Identifier: MIT
// Messages of 8 B to 373 kB round a ring, to the rank half the ranks away and down a pipeline, a barrier and
// a sum.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks,
            opposite = (rank + ranks / 2) % ranks;
  double* out = calloc(50000, sizeof(double));
  double* in = calloc(50000, sizeof(double));
  for (int size = 1; size <= 50000; size *= 6) {
    MPI_Sendrecv(out, size, MPI_DOUBLE, right, 1, in, size, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Request requests[2];
    MPI_Irecv(in, size, MPI_DOUBLE, opposite, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, size, MPI_DOUBLE, opposite, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank > 0) MPI_Recv(in, size, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < ranks) MPI_Send(out, size, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
#ifndef WITHOUT_BARRIER
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    MPI_Allreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
