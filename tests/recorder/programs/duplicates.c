// SPDX-License-Identifier: MIT
// Two communicators are duplicated at once. The ranks complete the two in different orders, then use one for
// a message around the ring and the other for a collective operation.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, received;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comms[2];
  MPI_Request requests[2];
  for (int n = 0; n < 2; ++n)
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[n], &requests[n]);
  for (int n = 0; n < 2; ++n)
    MPI_Wait(&requests[(rank + n) % 2], MPI_STATUS_IGNORE);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &received, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
               comms[0], MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &received, 1, MPI_INT, MPI_SUM, comms[1]);
  for (int n = 0; n < 2; ++n)
    MPI_Comm_free(&comms[n]);
  MPI_Finalize();
  return 0;
}
