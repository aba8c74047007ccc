// SPDX-License-Identifier: MIT
// loops NAME STEPS NOISE: one of ten small programs that repeat something, each with work of its own. NOISE:
// by so many percent work differs from step to step and from rank to rank, at random. For
// tests/recorder/measure_folding.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, steps;
static double noise;
static double field[1 << 14], other[1 << 14];
static double sink;

/// Sweeps over a field in cache, about `microseconds` of them; longer or shorter by noise.
static void work(double microseconds) {
  const double factor = 1 + noise * (2.0 * rand() / RAND_MAX - 1);
  const int sweeps = (int)(microseconds * factor / 2);
  for (int s = 0; s < sweeps; ++s)
    for (int i = 1; i < 2047; ++i)
      other[i] = 0.25 * (field[i - 1] + 2 * field[i] + field[i + 1]) + 1e-9 * s;
  sink += other[rank];
}

static int left(void) {
  return (rank + ranks - 1) % ranks;
}
static int right(void) {
  return (rank + 1) % ranks;
}

static double sum(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void exchange(int count) {
  MPI_Request requests[4];
  MPI_Irecv(other, count, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(other + 4096, count, MPI_DOUBLE, right(), 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(field, count, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(field + 4096, count, MPI_DOUBLE, left(), 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void jacobi(int step) {
  work(200);
  exchange(1000);
  if (step % 10 == 9) sum(field[0]);
}

static void conjugate_gradients(int step) {
  (void)step;
  exchange(500);
  work(300);
  sum(field[1]);
  work(60);
  sum(field[2]);
  work(60);
}

static void transpose(int step) {
  (void)step;
  work(400);
  MPI_Alltoall(field, 512, MPI_DOUBLE, other, 512, MPI_DOUBLE, MPI_COMM_WORLD);
  work(400);
  MPI_Alltoall(field, 512, MPI_DOUBLE, other, 512, MPI_DOUBLE, MPI_COMM_WORLD);
}

/// Each rank waits for the one before, as in a sweep over a grid.
static void wavefront(int step) {
  (void)step;
  for (int front = 0; front < 4; ++front) {
    if (rank > 0) MPI_Recv(other, 200, MPI_DOUBLE, rank - 1, front, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(80);
    if (rank + 1 < ranks) MPI_Send(field, 200, MPI_DOUBLE, rank + 1, front, MPI_COMM_WORLD);
  }
  sum(field[3]);
}

/// Down to ever smaller messages, and up again.
static void v_cycle(int step) {
  (void)step;
  for (int count = 2048; count >= 32; count /= 4) {
    exchange(count);
    work(count / 8.);
  }
  sum(field[0]);
  for (int count = 32; count <= 2048; count *= 4) {
    exchange(count);
    work(count / 8.);
  }
}

static void ring(int step) {
  (void)step;
  work(150);
  MPI_Sendrecv(field, 3000, MPI_DOUBLE, right(), 5, other, 3000, MPI_DOUBLE, left(), 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/// Rank 0 tells all what to do, and gathers what they found.
static void tell_and_gather(int step) {
  (void)step;
  MPI_Bcast(field, 2000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  work(500);
  MPI_Gather(field, 500, MPI_DOUBLE, other, 500, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) work(100);
}

/// Particles: neighbours each step, a list of them each twentieth.
static void particles(int step) {
  work(250);
  exchange(800);
  if (step % 20 == 19) {
    work(900);
    exchange(4000);
    sum(field[4]);
  }
}

/// Work while messages are on their way.
static void overlapped(int step) {
  (void)step;
  MPI_Request requests[2];
  MPI_Irecv(other, 3000, MPI_DOUBLE, left(), 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(field, 3000, MPI_DOUBLE, right(), 3, MPI_COMM_WORLD, &requests[1]);
  work(300);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  work(50);
}

/// The ranks have unequal shares of the work.
static void unbalanced(int step) {
  (void)step;
  work(100 + 80 * rank);
  exchange(1500);
  sum(field[5]);
}

static const struct {
  const char* name;
  void (*once)(int step);
} programs[] = {{"jacobi", jacobi},
                {"conjugate_gradients", conjugate_gradients},
                {"transpose", transpose},
                {"wavefront", wavefront},
                {"v_cycle", v_cycle},
                {"ring", ring},
                {"tell_and_gather", tell_and_gather},
                {"particles", particles},
                {"overlapped", overlapped},
                {"unbalanced", unbalanced}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 1);
  steps = atoi(argv[2]);
  noise = atof(argv[3]) / 100;
  srand((unsigned)rank + 1);
  for (int i = 0; i < 1 << 14; ++i)
    field[i] = i;
  for (unsigned p = 0; p < sizeof programs / sizeof *programs; ++p)
    for (int step = 0; strcmp(argv[1], programs[p].name) == 0 && step < steps; ++step)
      programs[p].once(step);
  const double all = sum(sink);
  if (rank == 0 && !isfinite(all)) puts("no number");
  MPI_Finalize();
  return 0;
}
