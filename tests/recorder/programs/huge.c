// SPDX-License-Identifier: MIT
// Elements of 2,100 MiB, all of whose parts lie in the same MiB of memory: a message that a matched probe
// finds, and collective operations.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, start = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype part, huge;
  MPI_Type_contiguous(1 << 20, MPI_BYTE, &part);
  MPI_Type_create_hvector(2100, 1, 0, part, &huge);
  MPI_Type_commit(&huge);
  char* buffer = calloc(1 << 20, 1);
  if (rank == 0) MPI_Send(buffer, 1, huge, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Message message;
    MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer, 1, huge, &message, MPI_STATUS_IGNORE);
  }
  // Collective operations of one rank: nothing is sent.
  const int counts[1] = {1}, none[1] = {0};
  MPI_Bcast(buffer, 1, huge, 0, MPI_COMM_SELF);
  MPI_Scatterv(buffer, counts, &start, huge, MPI_IN_PLACE, 1, huge, 0, MPI_COMM_SELF);
  MPI_Alltoallv(buffer, none, &start, huge, buffer + 1, none, &start, huge, MPI_COMM_SELF);
  MPI_Finalize();
  return 0;
}
