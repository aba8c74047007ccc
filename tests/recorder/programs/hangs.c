// SPDX-License-Identifier: MIT
// hangs receive|barrier|polls|work: works for a while, and then waits for ever, in one way or another.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* how = argv[1];
  int rank, ranks, got = 0, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int i = 0; i < 50; ++i)
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "receive") == 0) MPI_Recv(&got, 1, MPI_INT, next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "barrier") == 0 && rank != 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "polls") == 0) {
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &request);
    while (!done)
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  if (rank == 0 || strcmp(how, "work") == 0)
    for (;;)
      pause();
  MPI_Finalize();
  return 0;
}
