/* SPDX-License-Identifier: MIT
 * Programs whose messages change with the number of ranks in different ways: shapes NAME. `run` predicts them
 * with `finegrain trace scale`, and records them where they were predicted. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { values = 46080 }; /* divided by 2, 3, 4, ... 32 and their products: sizes stay whole */
static double out[values], in[values];
static int rank, size;

/* Sends n values to one rank, and receives as many from another. Ranks that are not there are MPI_PROC_NULL.
 */
static void shift(int to, int from, int n, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(in, n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void alltoall(void) {
  MPI_Alltoall(out, values / size / size, MPI_DOUBLE, in, values / size / size, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Bcast(out, 100, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
}

/* As conjugate gradients on a square of ranks. */
static void cg(void) {
  double sum;
  shift(rank ^ (size / 2), rank ^ (size / 2), values / size, 1);
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Each step twice as far and with half as much, as the levels of a multigrid. */
static void multigrid(void) {
  for (int far = 1, n = 1024; far < size; far *= 2, n /= 2)
    shift((rank + far) % size, (rank + size - far) % size, n, 1);
}

/* Along each dimension of a grid to both neighbours; closed: the last one's next is the first. */
static void halo(int dimensions, int closed) {
  int sides[3] = {0, 0, 0}, stride = size;
  MPI_Dims_create(size, dimensions, sides);
  for (int d = 0; d < dimensions; ++d) {
    stride /= sides[d];
    const int place = rank / stride % sides[d];
    int next = rank + stride, previous = rank - stride;
    if (place == sides[d] - 1) next = closed ? rank - place * stride : MPI_PROC_NULL;
    if (place == 0) previous = closed ? rank + (sides[d] - 1) * stride : MPI_PROC_NULL;
    shift(next, previous, values / (size / sides[d]), 2 * d);
    shift(previous, next, values / (size / sides[d]), 2 * d + 1);
  }
}

/* The next two on both sides of a line, and a sum at the first rank. */
static void two_neighbours(void) {
  double sum;
  for (int far = 1; far <= 2; ++far) {
    const int next = rank + far < size ? rank + far : MPI_PROC_NULL;
    const int previous = rank >= far ? rank - far : MPI_PROC_NULL;
    shift(next, previous, 500, far);
    shift(previous, next, 500, 2 + far);
  }
  MPI_Reduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void mirror(void) {
  shift(size - 1 - rank, size - 1 - rank, values / size, 1);
  MPI_Gather(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void pairs(void) {
  if ((rank ^ 1) < size) shift(rank ^ 1, rank ^ 1, 300, 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ring_allgather(void) {
  for (int step = 1; step < size; ++step)
    shift((rank + 1) % size, (rank + size - 1) % size, values / size, step);
}

static void uneven(void) { /* each rank has more than the one before it */
  int counts[64], places[64];
  for (int r = 0, place = 0; r < size; place += counts[r++]) {
    counts[r] = 10 + r;
    places[r] = place;
  }
  MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void halo2_closed(void) {
  halo(2, 1);
}
static void halo2_open(void) {
  halo(2, 0);
}
static void halo3_closed(void) {
  halo(3, 1);
}
static void halo3_open(void) {
  halo(3, 0);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*iterate)(void);
  } shapes[] = {{"alltoall", alltoall},     {"cg", cg},
                {"multigrid", multigrid},   {"halo2_closed", halo2_closed},
                {"halo2_open", halo2_open}, {"halo3_closed", halo3_closed},
                {"halo3_open", halo3_open}, {"two_neighbours", two_neighbours},
                {"mirror", mirror},         {"pairs", pairs},
                {"uneven", uneven},         {"ring_allgather", ring_allgather}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
    if (argc == 2 && strcmp(argv[1], shapes[s].name) == 0) {
      for (int i = 0; i < 5; ++i)
        shapes[s].iterate();
      MPI_Finalize();
      return 0;
    }
    if (argc == 1 && rank == 0) printf("%s\n", shapes[s].name);
  }
  MPI_Finalize();
  return argc == 1 ? 0 : 1;
}
