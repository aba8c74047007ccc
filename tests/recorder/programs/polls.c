// SPDX-License-Identifier: MIT
// Waits for a long message by turns with two functions, and tests a request that is null.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = 1 << 22;
  char* data = calloc(bytes, 1);
  if (rank == 1) {
    for (volatile int i = 0; i < 50000000; ++i)
      continue;  // the other one polls meanwhile
    MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[1]);
    for (int done = 0; done == 0;) {
      int found;
      MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      MPI_Test(&requests[0], &found, MPI_STATUS_IGNORE);
      MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
    }
  }
  free(data);
  MPI_Finalize();
  return 0;
}
