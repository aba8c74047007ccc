// SPDX-License-Identifier: MIT
// A thread of each rank exchanges messages for 300 ms at least, while the main thread waits for its end. With
// an argument, the program promises that only one thread calls MPI at a time.
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int rank;

static void* exchange(void* nothing) {
  int token = 0;
  for (int step = 0; step < 30; ++step) {
    if (rank == 0) {
      usleep(10000);
      MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  }
  return nothing;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread;
  pthread_create(&thread, NULL, exchange, NULL);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
