// SPDX-License-Identifier: MIT
// Starts another process, and exchanges a message and a barrier with it.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm parent, children;
  int value = 0, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 0, 0, children);
    MPI_Request request;
    MPI_Ibarrier(children, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&children);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, parent, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Ibarrier(parent, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
