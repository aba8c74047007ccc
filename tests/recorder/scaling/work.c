/* SPDX-License-Identifier: MIT
 * Programs whose work between calls follows a law that is known: how well does `finegrain trace scale`
 * extrapolate it: work PROGRAM. Without one, the first rank lists their names. The work is arithmetic in
 * registers, so that its time depends on no cache. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;
static double kept; /* so that no compiler leaves the work out */

static void work(double additions) {
  double sum = kept;
  for (long n = 0; n < (long)additions; ++n)
    sum = sum * 0.999999 + 1e-9;
  kept = sum;
}

static double all(double value) {
  double sum;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* A line; the last rank has three times the work of the first one, every time. */
static void slope(void) {
  double from[2] = {0, 0};
  int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < 30; ++step) {
    MPI_Sendrecv(&kept, 1, MPI_DOUBLE, before, 0, &from[0], 1, MPI_DOUBLE, after, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&kept, 1, MPI_DOUBLE, after, 0, &from[1], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    work(1.5e7 / ranks * (1 + 2. * rank / (ranks - 1)));
    all(from[0] + from[1]);
  }
}

/* The first rank has ten times the work of each other one. */
static void heavy_first(void) {
  for (int step = 0; step < 30; ++step) {
    work(3e7 / ranks * (rank == 0 ? 10 : 1));
    all(kept);
  }
}

/* Thirty items go from rank to rank; each does as much for each of them, however many ranks there are. */
static void pipeline(void) {
  double item = 0;
  for (int n = 0; n < 30; ++n) {
    if (rank > 0) MPI_Recv(&item, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(1e6);
    if (rank + 1 < ranks) MPI_Send(&item, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  }
}

/* As much work as the logarithm of the number of ranks. */
static void logarithm(void) {
  int levels = 0;
  for (int reached = 1; reached < ranks; reached *= 2)
    ++levels;
  for (int step = 0; step < 30; ++step) {
    work(1e5 * levels);
    all(kept);
  }
}

/* A part that is shared by all ranks, and one that each rank does for each other one. */
static void transpose(void) {
  static char out[256 * 512], in[256 * 512];
  for (int step = 0; step < 30; ++step) {
    work(3e7 / ranks);
    MPI_Alltoall(out, 512, MPI_CHAR, in, 512, MPI_CHAR, MPI_COMM_WORLD);
    work(2000. * ranks);
    all(kept);
  }
}

/* As EP of the NAS Parallel Benchmarks: much work, three sums. */
static void only_work(void) {
  work(2e9 / ranks);
  for (int sum = 0; sum < 3; ++sum)
    all(kept);
}

static const struct {
  const char* name;
  void (*run)(void);
} programs[] = {{"slope", slope},         {"heavy_first", heavy_first}, {"pipeline", pipeline},
                {"logarithm", logarithm}, {"transpose", transpose},     {"only_work", only_work}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t p = 0; p < sizeof programs / sizeof *programs; ++p) {
    if (argc < 2 && rank == 0) puts(programs[p].name);
    if (argc > 1 && strcmp(argv[1], programs[p].name) == 0) programs[p].run();
  }
  MPI_Finalize();
  return 0;
}
