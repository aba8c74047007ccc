// SPDX-License-Identifier: MIT
// patterns NAME BYTES ITERATIONS [WORK_US]: one of the ways in which MPI programs communicate (`patterns`
// below), after one iteration that is not timed. Rank 0 prints the seconds of each iteration that followed.
// With WORK_US, each iteration begins with so many microseconds of work, and there is no barrier before it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, bytes, work_us;
static char *out, *in;

/// Stands for work. All nodes of the testbed share this machine's few cores, so ranks sleep.
static void work(void) {
  const struct timespec pause = {work_us / 1000000, work_us % 1000000 * 1000L};
  if (work_us > 0) nanosleep(&pause, NULL);
}

/// A message to and from both neighbours in a ring, then the sum of a residual.
static void halo(void) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request requests[4];
  MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out + bytes, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  double residual = rank, sum;
  MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(void) {
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void allreduce(void) {
  MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/// Rank 0 gives six tasks to each worker, on average: the next one to whoever has sent its result.
static void master(void) {
  enum { result_tag = 1, task_tag, done_tag };
  if (rank == 0) {
    int tasks = 6 * (ranks - 1), working = ranks - 1;
    while (working > 0) {
      MPI_Status status;
      MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
      const int tag = tasks > 0 ? task_tag : done_tag;
      MPI_Send(out, tag == task_tag ? bytes : 0, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
      if (tag == task_tag)
        --tasks;
      else
        --working;
    }
  } else {
    MPI_Status status;
    do {
      MPI_Send(out, bytes, MPI_BYTE, 0, result_tag, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } while (status.MPI_TAG == task_tag);
  }
}

// The next six were written after the rule of intervals (sim/answer/interval.hpp), to check it.

/// Blocks of a panel go along a chain of ranks, each as soon as it has come.
static void chain(void) {
  for (int block = 0; block < 4; ++block) {
    if (rank > 0) MPI_Recv(in, bytes / 4, MPI_BYTE, rank - 1, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < ranks - 1) MPI_Send(in, bytes / 4, MPI_BYTE, rank + 1, block, MPI_COMM_WORLD);
  }
}

/// Each rank exchanges with each other one, a pair after the other; the lower rank of a pair sends twice as
/// much.
static void pairs(void) {
  for (int step = 1; step < ranks; ++step) {
    const int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
    MPI_Sendrecv(out, rank < to ? bytes : bytes / 2, MPI_BYTE, to, step, in, bytes, MPI_BYTE, from, step,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Rank 0 gives each rank its part, and collects what became of it.
static void farm(void) {
  MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/// A matrix-vector product by rows: all ranks need the whole vector.
static void rows(void) {
  MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
  double mine = rank, most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/// Recursive halving and doubling by hand, with sizes that shrink and grow.
static void butterfly(void) {
  for (int way = 0, size = bytes; way < 2; ++way)
    for (int distance = way == 0 ? ranks / 2 : 1; distance >= 1 && distance < ranks;
         distance = way == 0 ? distance / 2 : distance * 2) {
      const int with = rank ^ distance;
      if (way == 0) size /= 2;
      if (with < ranks)
        MPI_Sendrecv(out, size, MPI_BYTE, with, way, in, size, MPI_BYTE, with, way, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
      if (way == 1) size *= 2;
    }
}

/// Everybody tells rank 0 something long, at the same time; rank 0 tells all what it made of that.
static void reports(void) {
  if (rank == 0) {
    for (int from = 1; from < ranks; ++from)
      MPI_Recv(in, bytes, MPI_BYTE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(out, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
  }
  MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/// A message to and from both neighbours in a ring, while all of the iteration's work is done.
static void overlapped(void) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request requests[4];
  MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out + bytes, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
  work();
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct {
    const char* name;
    void (*iteration)(void);
  } patterns[] = {{"halo", halo},
                  {"alltoall", alltoall},
                  {"allreduce", allreduce},
                  {"master", master},
                  {"chain", chain},
                  {"pairs", pairs},
                  {"farm", farm},
                  {"rows", rows},
                  {"butterfly", butterfly},
                  {"reports", reports},
                  {"overlapped", overlapped}};
  void (*iteration)(void) = NULL;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns && argc >= 4; ++i)
    if (strcmp(argv[1], patterns[i].name) == 0) iteration = patterns[i].iteration;
  bytes = argc >= 4 ? atoi(argv[2]) : 0;
  const int iterations = argc >= 4 ? atoi(argv[3]) : 0;
  work_us = argc == 5 ? atoi(argv[4]) : 0;
  if (iteration == NULL || bytes < 8 || iterations < 1) {
    if (rank == 0) fprintf(stderr, "usage: patterns NAME BYTES ITERATIONS [WORK_US]\n");
    MPI_Finalize();
    return 1;
  }
  out = calloc((size_t)bytes, ranks + 1);
  in = calloc((size_t)bytes, ranks + 1);
  for (int i = 0; i <= iterations; ++i) {
    if (work_us == 0) MPI_Barrier(MPI_COMM_WORLD);
    const double start_s = MPI_Wtime();
    if (iteration != overlapped) work();
    iteration();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && i > 0) printf("%.6f\n", MPI_Wtime() - start_s);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
