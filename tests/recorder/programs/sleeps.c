// SPDX-License-Identifier: MIT
// Between its calls, each rank sleeps, as a program does that reads a file or waits for another thread.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int n = 0; n < 10; ++n) {
    usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
