// SPDX-License-Identifier: MIT
// Nonblocking collectives, several at once, with a message in between; completed in another order by polling.
// Then the ranks wait in different orders; and a ring of communicators, each of a rank and the next, in which
// every rank posts to its own first, so that no order of posting is that of all.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double a[100] = {0}, sum[100], all[6400], token = 0;
  for (int step = 0; step < 5; ++step) {
    MPI_Request requests[4];
    MPI_Iallreduce(a, sum, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(a, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv(&token, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallgather(a, 100, MPI_DOUBLE, all, 100, MPI_DOUBLE, MPI_COMM_WORLD, &requests[3]);
    int done = 0;
    while (!done)
      MPI_Test(&requests[3], &done, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Request requests[4];
  for (int n = 0; n < 2; ++n)
    MPI_Iallreduce(a, sum + n, 1 + n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[n]);
  if (rank % 2 == 1) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

  MPI_Comm pairs[2] = {MPI_COMM_NULL, MPI_COMM_NULL}, none;
  for (int first = 0; first < ranks; ++first) {
    const int is_first = rank == first, is_second = rank == (first + 1) % ranks;
    MPI_Comm_split(MPI_COMM_WORLD, is_first || is_second ? 0 : MPI_UNDEFINED, rank,
                   is_first    ? &pairs[0]
                   : is_second ? &pairs[1]
                               : &none);
  }
  for (int n = 0; n < 4; ++n)
    MPI_Iallreduce(a, sum + n, 1, MPI_DOUBLE, MPI_SUM, pairs[n / 2], &requests[n]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
