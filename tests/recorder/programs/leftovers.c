// SPDX-License-Identifier: MIT
// leftovers message|receive: ends while messages that nobody receives, or a receive of anything, are left.
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double values[4] = {1, 2, 3, 4};
  static double received[16];
  static MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && strcmp(argv[1], "message") == 0) {
    for (int other = 1; other < ranks; ++other)
      MPI_Send(values, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
  }
  if (rank == 0 && strcmp(argv[1], "receive") == 0)
    MPI_Irecv(received, 16, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
