// SPDX-License-Identifier: MIT
// A ring of ranks that put, get and accumulate into each other's windows: with fences, with post, start,
// complete and wait, and with locks and flushes.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double memory[100] = {0}, values[10] = {0}, before = 0, one = 1;
  long *shared = 0, zero = 0, mine = rank, found = 0;
  MPI_Win win, atomics;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int step = 0; step < 3; ++step) {
    MPI_Win_fence(0, win);
    MPI_Put(values, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, win);
    MPI_Get(values, 5, MPI_DOUBLE, left, 20, 5, MPI_DOUBLE, win);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, right, 30, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
  }
  MPI_Group all, origins, targets;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &left, &origins);
  MPI_Group_incl(all, 1, &right, &targets);
  for (int step = 0; step < 3; ++step) {
    MPI_Win_post(origins, 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Put(values, 7, MPI_DOUBLE, right, 40, 7, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    if (step == 1) {
      int done = 0;
      while (!done)
        MPI_Win_test(win, &done);
    } else {
      MPI_Win_wait(win);
    }
  }
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
  MPI_Group_free(&all);
  MPI_Win_free(&win);

  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &atomics);
  *shared = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, atomics);
  MPI_Fetch_and_op(&mine, &found, MPI_LONG, right, 0, MPI_SUM, atomics);
  MPI_Win_flush(right, atomics);
  MPI_Win_unlock(right, atomics);
  MPI_Win_lock_all(0, atomics);
  MPI_Request request;
  MPI_Rput(&mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, atomics, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rput(&mine, 0, MPI_LONG, rank, 0, 0, MPI_LONG, atomics, &request);  // nothing, to itself
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Compare_and_swap(&mine, &zero, &found, MPI_LONG, left, 0, atomics);
  MPI_Win_flush_local(left, atomics);
  MPI_Win_flush_all(atomics);
  MPI_Win_unlock_all(atomics);
  MPI_Win_free(&atomics);
  (void)before;
  MPI_Finalize();
  return 0;
}
