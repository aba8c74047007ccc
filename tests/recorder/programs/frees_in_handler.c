// SPDX-License-Identifier: MIT
// A message is too long for its receive, and the error handler frees the communicator.
#include <mpi.h>
#include <stdio.h>

static void frees(MPI_Comm* comm, int* error, ...) {
  (void)error;
  MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[4] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(frees, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (rank == 0) {
    MPI_Send(values, 4, MPI_INT, 1, 0, comm);
    MPI_Comm_free(&comm);
  } else if (rank == 1) {
    printf("%s\n",
           MPI_Recv(values, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? "" : "failed");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
