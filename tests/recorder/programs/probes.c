// SPDX-License-Identifier: MIT
// Messages whose size and source a probe finds: Probe, Iprobe, Mprobe with Mrecv, and Improbe with Imrecv.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double values[64] = {0};
  if (rank == 0) {
    for (int n = 0; n < 4 * (ranks - 1); ++n) {
      MPI_Status status;
      MPI_Message message;
      int found = 0, count = 0;
      if (n % 4 == 0) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      } else if (n % 4 == 1) {
        while (!found)
          MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
      } else if (n % 4 == 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(values, 64, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        continue;
      } else {
        MPI_Request request;
        while (!found)
          MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Imrecv(values, 64, MPI_DOUBLE, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        continue;
      }
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      MPI_Recv(values, count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // Two messages of one rank and tag, received in the other order than they were found.
    for (int from = 1; from < ranks; ++from) {
      MPI_Message first, second;
      MPI_Mprobe(from, 9, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
      MPI_Mprobe(from, 9, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
      MPI_Mrecv(values, 20, MPI_DOUBLE, &second, MPI_STATUS_IGNORE);
      MPI_Mrecv(values, 10, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
    }
  } else {
    for (int n = 0; n < 4; ++n)
      MPI_Send(values, rank + n, MPI_DOUBLE, 0, n, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);  // until all of these are received
    MPI_Send(values, 10, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    MPI_Send(values, 20, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
