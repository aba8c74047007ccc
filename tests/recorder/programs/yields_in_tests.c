// SPDX-License-Identifier: MIT
// Each rank computes for 1 ms of CPU time 100 times, and tests then for a message that comes at the end.
#include <mpi.h>
#include <time.h>

static double cpu_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, found = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char token = 0, received;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_CHAR, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
  for (int step = 0; step < 100; ++step) {
    const double until = cpu_seconds() + 1e-3;
    while (cpu_seconds() < until) {
    }
    if (!found) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
  }
  MPI_Send(&token, 1, MPI_CHAR, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD);
  if (!found) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
