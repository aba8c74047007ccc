/* SPDX-License-Identifier: MIT
 * All threads of a rank work, for at least 0.5 s each, and the ranks add up what they have found. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

static double own_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  double sum = 0, all;
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel reduction(+ : sum)
    for (const double start = own_seconds(); own_seconds() < start + 0.1;)
      sum += 1;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
