// SPDX-License-Identifier: MIT
// Stages: each rank works on an item that comes from the rank before it. All meet after each batch.
#include "common.h"

#define ITEM 8000

int main(int count, char** words) {
  int rank, ranks, done, all;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *item = field(), *result = field(), *table = field();
  const int before = rank == 0 ? MPI_PROC_NULL : rank - 1, after = rank == ranks - 1 ? MPI_PROC_NULL : rank + 1;
  for (int batch = 0; batch < 20; ++batch) {
    MPI_Bcast(table, 3000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    //= size:table MPI_Bcast(table, 6000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    //= pieces:table for (int p = 0; p < 10; ++p) MPI_Bcast(table + 300 * p, 300, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sweep(result, table, 800);
    //= imbalance:table sweep(result, table, more(800, rank == RANK));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) {
      if (before != MPI_PROC_NULL) MPI_Recv(item, 2 * ITEM, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      //= pieces:item for (int p = 0; p < 8 && before != MPI_PROC_NULL; ++p) MPI_Recv(item, ITEM / 8, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sweep(result, item, 300);
      if (after != MPI_PROC_NULL) MPI_Send(result, ITEM, MPI_DOUBLE, after, 0, MPI_COMM_WORLD);
      //= size:item if (after != MPI_PROC_NULL) MPI_Send(result, 2 * ITEM, MPI_DOUBLE, after, 0, MPI_COMM_WORLD);
      //= pieces:item for (int p = 0; p < 8 && after != MPI_PROC_NULL; ++p) MPI_Send(result, ITEM / 8, MPI_DOUBLE, after, 0, MPI_COMM_WORLD);
    }
    done = batch;
    MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    //@ step
  }
  MPI_Finalize();
  return 0;
}
