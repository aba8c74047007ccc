// SPDX-License-Identifier: MIT
// Between its calls, each rank sleeps, as a program does that reads a file or waits for another thread. With
// an argument it asks for calls of several threads, as many a program does that then makes all of them in
// one.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  for (int n = 0; n < 10; ++n) {
    usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
