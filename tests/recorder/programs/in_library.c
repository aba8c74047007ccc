// SPDX-License-Identifier: MIT
// A library (-DLIBRARY) finalizes MPI when it is destroyed. It initializes MPI when it is constructed if
// INITIALIZES_EARLY is in the environment; else the program does.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int sum_of_ones(void);

#ifdef LIBRARY
int sum_of_ones(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static __attribute__((constructor)) void begin(void) {
  if (getenv("INITIALIZES_EARLY") != NULL) MPI_Init(NULL, NULL);
}

static __attribute__((destructor)) void end(void) {
  int is_initialized;
  MPI_Initialized(&is_initialized);
  if (!is_initialized) return;
  sum_of_ones();
  // The thread's own variables are destroyed already.
  int sent = 1, received;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &request);
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  MPI_Finalize();
}
#else
int main(int argc, char** argv) {
  if (getenv("INITIALIZES_EARLY") == NULL) MPI_Init(&argc, &argv);
  int sum = 0;
  for (int n = 0; n < 10; ++n)
    sum += sum_of_ones();
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  printf("%d\n", sum);
  return 0;
}
#endif
