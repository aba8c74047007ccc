// SPDX-License-Identifier: MIT
// A master gives a task to whoever is done. Which rank does which task differs from run to run.
#include "common.h"

#define TASKS 48
#define RESULT 500

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *input = field(), *result = field();
  for (int batch = 0; batch < 3; ++batch) {
    MPI_Bcast(input, 2000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    //= size:input MPI_Bcast(input, 4000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    //= pieces:input for (int p = 0; p < 20; ++p) MPI_Bcast(input + 100 * p, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      int given = 0, stopped = 0, task;
      MPI_Status status;
      while (stopped < ranks - 1) {
        MPI_Recv(result, 2 * RESULT, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        task = given < TASKS ? given++ : -1;
        if (task < 0) ++stopped;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
      }
    } else {
      for (int task = 0, first = 1; task >= 0; first = 0) {
        MPI_Send(result, first ? 0 : RESULT, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        //= size:result MPI_Send(result, first ? 0 : 2 * RESULT, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task >= 0) sweep(result, input, 200 + 100 * (task % 4));
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
