/* SPDX-License-Identifier: MIT
 * Programs whose number of calls, steps or levels depends on the number of ranks: levels NAME. Without a
 * name, the first rank lists the names. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
  values = 73728, /* of the whole problem: 2^13 * 9 */
  edge = 768,     /* points along one side of a plane */
  most_ranks = 1024
};
static double out[values], in[values];
static MPI_Request requests[2 * most_ranks];
static int rank, size;
static int rows, columns, row, column; /* of a grid with all ranks, row after row */

static int at(int r, int c) { /* on a closed grid */
  return (r + rows) % rows * columns + (c + columns) % columns;
}

static void swap(int to, int from, int n, int tag) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, to, tag, in, n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void norm(void) {
  double sum;
  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* With the neighbours that there are at a distance on a line, all messages at once. */
static void smooth_line(int far, int n, int tag) {
  int count = 0;
  if (rank >= far) MPI_Irecv(in, n, MPI_DOUBLE, rank - far, tag, MPI_COMM_WORLD, &requests[count++]);
  if (rank + far < size)
    MPI_Irecv(in + n, n, MPI_DOUBLE, rank + far, tag, MPI_COMM_WORLD, &requests[count++]);
  if (rank >= far) MPI_Isend(out, n, MPI_DOUBLE, rank - far, tag, MPI_COMM_WORLD, &requests[count++]);
  if (rank + far < size) MPI_Isend(out, n, MPI_DOUBLE, rank + far, tag, MPI_COMM_WORLD, &requests[count++]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* A V-cycle on slabs. On each level half of the ranks give what they have to the other half, and are idle
 * until it comes back. */
static void vcycle1d(void) {
  int far = 1, n = 4096, level = 0;
  for (; far < size; far *= 2, n /= 2, ++level) {
    if (rank % far != 0) continue;
    for (int sweep = 0; sweep < 2; ++sweep)
      smooth_line(far, n, level);
    if (rank % (2 * far) != 0)
      MPI_Send(out, n / 2, MPI_DOUBLE, rank - far, 100 + level, MPI_COMM_WORLD);
    else if (rank + far < size)
      MPI_Recv(in, n / 2, MPI_DOUBLE, rank + far, 100 + level, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  while (far > 1) {
    far /= 2, n *= 2, --level;
    if (rank % far != 0) continue;
    if (rank % (2 * far) != 0)
      MPI_Recv(in, n / 2, MPI_DOUBLE, rank - far, 200 + level, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank + far < size)
      MPI_Send(out, n / 2, MPI_DOUBLE, rank + far, 200 + level, MPI_COMM_WORLD);
    smooth_line(far, n, level);
  }
  norm();
}

static void smooth_grid(int far, int level) {
  if (far < columns) {
    const int n = edge / rows >> level;
    swap(at(row, column + far), at(row, column - far % columns), n, 4 * level);
    swap(at(row, column - far), at(row, column + far), n, 4 * level + 1);
  }
  if (far < rows) {
    const int n = edge / columns >> level;
    swap(at(row + far, column), at(row - far, column), n, 4 * level + 2);
    swap(at(row - far, column), at(row + far, column), n, 4 * level + 3);
  }
}

/* A V-cycle on a closed grid of ranks that all stay busy; the coarsest level is solved together. */
static void vcycle2d(void) {
  double coarse[16];
  int far = 1, level = 0;
  for (; far < rows || far < columns; far *= 2, ++level) {
    smooth_grid(far, level);
    smooth_grid(far, level);
  }
  MPI_Allreduce(out, coarse, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  while (far > 1) {
    far /= 2, --level;
    smooth_grid(far, level);
  }
  norm();
}

/* A Fourier transform by binary exchange, and back. */
static void butterfly(void) {
  int bit = 1, step = 0;
  for (; bit < size; bit *= 2, ++step)
    if ((rank ^ bit) < size) swap(rank ^ bit, rank ^ bit, values / size, step);
  while (bit > 1) {
    bit /= 2, --step;
    if ((rank ^ bit) < size) swap(rank ^ bit, rank ^ bit, values / size, step);
  }
}

/* Of the ranks beyond a power of two, each joins one before it: fold gives whether the others still need this
 * one. */
static int fold(int power, int n) {
  if (rank >= power) MPI_Send(out, n, MPI_DOUBLE, rank - power, 50, MPI_COMM_WORLD);
  if (rank + power < size) MPI_Recv(in, n, MPI_DOUBLE, rank + power, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return rank < power;
}

static void unfold(int power, int n) {
  if (rank >= power) MPI_Recv(in, n, MPI_DOUBLE, rank - power, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank + power < size) MPI_Send(out, n, MPI_DOUBLE, rank + power, 51, MPI_COMM_WORLD);
}

static int power_of_two(void) { /* the largest that is not more than the ranks */
  int power = 1;
  while (2 * power <= size)
    power *= 2;
  return power;
}

/* A sum of a long vector: halves to the far partner first, then gathered with twice as much each time. */
static void halving_doubling(void) {
  const int power = power_of_two();
  int n = values / 2;
  if (fold(power, n)) {
    for (int bit = power / 2; bit > 0; bit /= 2) {
      n /= 2;
      swap(rank ^ bit, rank ^ bit, n, 1);
    }
    for (int bit = 1; bit < power; bit *= 2) {
      swap(rank ^ bit, rank ^ bit, n, 2);
      n *= 2;
    }
  }
  unfold(power, values / 2);
}

/* As a bucket sort: the sizes of the buckets, then the keys, one partner after the other. */
static void pairwise(void) {
  static int mine[512], all[512];
  MPI_Allreduce(mine, all, 512, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int power = power_of_two(), end = power < size ? 2 * power : power;
  for (int step = 1; step < end; ++step)
    if ((rank ^ step) < size) swap(rank ^ step, rank ^ step, values / size / size, 0);
}

/* To all others at once. */
static void posted(void) {
  const int n = 48;
  int count = 0;
  for (int r = 0; r < size; ++r)
    if (r != rank) MPI_Irecv(in + r * n, n, MPI_DOUBLE, r, 7, MPI_COMM_WORLD, &requests[count++]);
  for (int r = 0; r < size; ++r)
    if (r != rank) MPI_Isend(out + r * n, n, MPI_DOUBLE, r, 7, MPI_COMM_WORLD, &requests[count++]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* Lines that cross all ranks are eliminated from the first to the last and substituted back, in as many
 * blocks as there are ranks. */
static void pipeline(void) {
  const int n = values / size / size;
  for (int block = 0; block < size; ++block) {
    if (rank > 0) MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(out, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  }
  for (int block = size - 1; block >= 0; --block) {
    if (rank < size - 1) MPI_Recv(in, n, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(out, n, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD);
  }
}

/* As output through one rank: the offset goes round the ring, then all parts go to the first. */
static void prefix_gather(void) {
  long offset = 0;
  const int n = values / size;
  if (rank > 0) MPI_Recv(&offset, 1, MPI_LONG, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  offset += n;
  MPI_Send(&offset, 1, MPI_LONG, (rank + 1) % size, 3, MPI_COMM_WORLD);
  if (rank > 0) {
    MPI_Send(out, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(&offset, 1, MPI_LONG, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int r = 1; r < size; ++r)
    MPI_Irecv(in + r * n, n, MPI_DOUBLE, r, 4, MPI_COMM_WORLD, &requests[r - 1]);
  MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
}

/* The first rank sends a task to each other one in turn, then takes each result. */
static void master(void) {
  const int n = values / size;
  if (rank > 0) {
    MPI_Recv(in, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 16, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    return;
  }
  for (int worker = 1; worker < size; ++worker)
    MPI_Send(out, n, MPI_DOUBLE, worker, 1, MPI_COMM_WORLD);
  for (int worker = 1; worker < size; ++worker)
    MPI_Recv(in, 16, MPI_DOUBLE, worker, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Gathered up a binomial tree, twice as much on each level; the answer goes down the same tree. */
static void tree(void) {
  const int n = 64;
  int bit = 1;
  for (; bit < size && (rank & bit) == 0; bit *= 2) {
    const int child = rank + bit, below = size - child < bit ? size - child : bit;
    if (below > 0) MPI_Recv(in, n * below, MPI_DOUBLE, child, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank > 0) {
    const int below = size - rank < bit ? size - rank : bit;
    MPI_Send(out, n * below, MPI_DOUBLE, rank - bit, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 500, MPI_DOUBLE, rank - bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (rank + bit < size) MPI_Send(out, 500, MPI_DOUBLE, rank + bit, 2, MPI_COMM_WORLD);
}

/* Pencils: along the rows by rotation, along the columns all at once. */
static void transpose(void) {
  for (int step = 1; step < columns; ++step)
    swap(at(row, column + step), at(row, column - step), values / size / columns, step);
  const int n = values / size / rows;
  int count = 0;
  for (int r = 0; r < rows; ++r) {
    if (r == row) continue;
    MPI_Irecv(in + r * n, n, MPI_DOUBLE, at(r, column), 99, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(out + r * n, n, MPI_DOUBLE, at(r, column), 99, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void neighbour(int there, int r, int c, int n, int* count) {
  if (!there) return;
  MPI_Irecv(in + *count * edge, n, MPI_DOUBLE, at(r, c), 10, MPI_COMM_WORLD, &requests[*count]);
  MPI_Isend(out, n, MPI_DOUBLE, at(r, c), 10, MPI_COMM_WORLD, &requests[*count + 1]);
  *count += 2;
}

/* A step of conjugate gradients: the borders on an open grid, and two sums by recursive doubling. */
static void halo_reduce(void) {
  int count = 0;
  neighbour(row > 0, row - 1, column, edge / columns, &count);
  neighbour(row < rows - 1, row + 1, column, edge / columns, &count);
  neighbour(column > 0, row, column - 1, edge / rows, &count);
  neighbour(column < columns - 1, row, column + 1, edge / rows, &count);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  const int power = power_of_two();
  for (int sum = 0; sum < 2; ++sum) {
    if (fold(power, 1))
      for (int bit = 1; bit < power; bit *= 2)
        swap(rank ^ bit, rank ^ bit, 1, 20 + sum);
    unfold(power, 1);
  }
}

static void shift_a(int by) { /* along the row, to the left */
  if (by % columns == 0) return;
  MPI_Sendrecv_replace(out, values / size, MPI_DOUBLE, at(row, column - by % columns), 1,
                       at(row, column + by), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void shift_b(int by) { /* along the column, up */
  if (by % rows == 0) return;
  MPI_Sendrecv_replace(in, values / size, MPI_DOUBLE, at(row - by % rows, column), 2, at(row + by, column), 2,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Cannon's product of matrices: each row is turned by its number, each column too, then all by one at a time.
 */
static void cannon(void) {
  shift_a(row);
  shift_b(column);
  for (int step = 1; step < rows || step < columns; ++step) {
    if (step < columns) shift_a(1);
    if (step < rows) shift_b(1);
  }
}

/* Particles to both neighbours, a Fourier transform by rotation, levels down and up, and every second time
 * the first rank takes a part from each. */
static void mixture(void) {
  static int iteration;
  const int n = values / size;
  swap((rank + 1) % size, (rank + size - 1) % size, 200, 1);
  swap((rank + size - 1) % size, (rank + 1) % size, 200, 2);
  for (int step = 1; step < size; ++step)
    swap((rank + step) % size, (rank + size - step) % size, n / size, 3);
  int far = 1, points = 2048;
  for (; far < size; far *= 2, points /= 2)
    for (int sweep = 0; sweep < 2; ++sweep)
      smooth_line(far, points, 4);
  while (far > 1) {
    far /= 2, points *= 2;
    smooth_line(far, points, 5);
  }
  norm();
  if (iteration++ % 2 == 0) return;
  if (rank > 0) MPI_Send(out, n, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
  for (int r = 1; rank == 0 && r < size; ++r)
    MPI_Recv(in, n, MPI_DOUBLE, r, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*iterate)(void);
    int iterations;
  } programs[] = {{"vcycle1d", vcycle1d, 6},   {"vcycle2d", vcycle2d, 4},
                  {"butterfly", butterfly, 4}, {"halving_doubling", halving_doubling, 5},
                  {"pairwise", pairwise, 3},   {"posted", posted, 10},
                  {"pipeline", pipeline, 3},   {"prefix_gather", prefix_gather, 7},
                  {"master", master, 6},       {"tree", tree, 8},
                  {"transpose", transpose, 5}, {"halo_reduce", halo_reduce, 10},
                  {"cannon", cannon, 4},       {"mixture", mixture, 6}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most_ranks) MPI_Abort(MPI_COMM_WORLD, 1);
  int sides[2] = {0, 0}, result = argc == 1 ? 0 : 1;
  MPI_Dims_create(size, 2, sides);
  rows = sides[0], columns = sides[1];
  row = rank / columns, column = rank % columns;
  for (size_t p = 0; p < sizeof programs / sizeof programs[0]; ++p) {
    if (argc == 1 && rank == 0) printf("%s\n", programs[p].name);
    if (argc != 2 || strcmp(argv[1], programs[p].name) != 0) continue;
    MPI_Bcast(out, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* the input */
    for (int i = 0; i < programs[p].iterations; ++i)
      programs[p].iterate();
    MPI_Barrier(MPI_COMM_WORLD);
    result = 0;
  }
  MPI_Finalize();
  return result;
}
