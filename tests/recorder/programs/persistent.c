// SPDX-License-Identifier: MIT
// A halo exchange by persistent requests, started one by one and together.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double in[2][64] = {{0}}, out[2][64] = {{0}};
  MPI_Request requests[4];
  MPI_Recv_init(in[0], 64, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in[1], 64, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(out[0], 64, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Ssend_init(out[1], 64, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  for (int step = 0; step < 10; ++step) {
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[0]);
    MPI_Start(&requests[2]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);  // not active: returns at once
  }
  for (int i = 0; i < 4; ++i)
    MPI_Request_free(&requests[i]);
  MPI_Finalize();
  return 0;
}
