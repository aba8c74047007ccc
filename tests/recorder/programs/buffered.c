// SPDX-License-Identifier: MIT
// Buffered sends, which wait for nothing: each rank sends to the next one before it receives, messages that a
// standard send would not let go. Blocking, nonblocking and persistent ones; Open MPI starts the last under
// new handles.
#include <mpi.h>
#include <stdlib.h>

enum { count = 20000, started = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  double* const values = calloc(count, sizeof(double));
  double* const received = calloc(count, sizeof(double));
  void* buffer = malloc(8 * (count * sizeof(double) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer, 8 * (count * sizeof(double) + MPI_BSEND_OVERHEAD));

  MPI_Bsend(values, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
  MPI_Recv(received, count, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  MPI_Request request;
  MPI_Ibsend(values, count, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(received, count, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  MPI_Request persistent[2];
  MPI_Bsend_init(values, count, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &persistent[0]);
  MPI_Bsend_init(values, count / 2, MPI_DOUBLE, next, 4, MPI_COMM_WORLD, &persistent[1]);
  for (int n = 0; n < started; ++n) {
    if (n % 2 == 0) {
      MPI_Startall(2, persistent);
    } else {
      MPI_Start(&persistent[0]);
      MPI_Start(&persistent[1]);
    }
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
    MPI_Recv(received, count, MPI_DOUBLE, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(received, count, MPI_DOUBLE, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&persistent[0]);
  MPI_Request_free(&persistent[1]);
  MPI_Buffer_detach(&buffer, &size);
  MPI_Finalize();
  free(buffer);
  free(received);
  free(values);
  return 0;
}
