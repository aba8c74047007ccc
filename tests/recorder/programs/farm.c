// SPDX-License-Identifier: MIT
// farm probe|data|posted|exchange: rank 0 gives 30 tasks, each to whoever sends first. What is received:
// after a probe; with data in a second message; by MPI_Irecv and MPI_Wait; and workers that use MPI_Sendrecv.
#include <mpi.h>
#include <string.h>

enum { tasks = 30, none = -1, ready_tag = 1, result_tag, task_tag, data_tag };

static const char* variant;

static int is(const char* name) {
  return strcmp(variant, name) == 0;
}

static int take(double* result) {
  MPI_Status status;
  if (is("probe")) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(result, 1, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  } else if (is("posted")) {
    MPI_Request request;
    MPI_Irecv(result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
  } else {
    MPI_Recv(result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
  }
  if (is("data") && *result > 0)
    MPI_Recv(result, 1, MPI_DOUBLE, status.MPI_SOURCE, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

static void master(int workers) {
  for (int next = 0; workers > 0; ++next) {
    double result;
    const int worker = take(&result);
    const int task = next < tasks ? next : none;
    MPI_Send(&task, 1, MPI_INT, worker, task_tag, MPI_COMM_WORLD);
    if (task == none) --workers;
  }
}

static void work_for_master(void) {
  for (double result = 0;; ++result) {
    const int tag = is("probe") && result == 0 ? ready_tag : result_tag;
    int task;
    if (is("exchange")) {
      MPI_Sendrecv(&result, 1, MPI_DOUBLE, 0, tag, &task, 1, MPI_INT, 0, task_tag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&result, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
      if (is("data") && result > 0) MPI_Send(&result, 1, MPI_DOUBLE, 0, data_tag, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, 0, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (task == none) return;
    const double start = MPI_Wtime();
    while (MPI_Wtime() - start < 1e-4 * (1 + task % 3))
      continue;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  variant = argv[1];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank == 0 ? master(ranks - 1) : work_for_master();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
