// SPDX-License-Identifier: MIT
// More short sends than the recorder looks at one by one are open at once, and the newest is waited for
// first.
#include <mpi.h>
#include <stdio.h>

enum { sends = 200 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[sends] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[sends];
  if (rank == 0) {
    for (int n = 0; n < sends; ++n)
      MPI_Isend(&values[n], 1, MPI_INT, 1, n, MPI_COMM_WORLD, &requests[n]);
    for (int n = sends - 1; n >= 0; --n)
      MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    for (int n = 0; n < sends; ++n)
      MPI_Recv(&values[n], 1, MPI_INT, 0, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
