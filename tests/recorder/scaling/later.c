/* SPDX-License-Identifier: MIT
 * Small programs written as mini-apps, benchmarks and textbooks are, with communicators of their own, derived
 * types, persistent requests, windows, wildcards and data that decide about messages: later NAME. Without a
 * name, the first rank lists the names. For any power of two of ranks from 4 to 128. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ranks = 128, room = 1 << 16 };
static double out[room], in[room];
static int rank, size;

/* Some arithmetic on as many points as the caller has. */
static void relax(int points) {
  for (int i = 1; i + 1 < points && i + 1 < room; ++i)
    in[i] = 0.5 * in[i] + 0.25 * (out[i - 1] + out[i + 1]) + 1e-3;
}

/* The number of elements that the part with this index has, where the first parts have one more than the
 * last. */
static int share(int elements, int parts, int index) {
  return elements / parts + (index < elements % parts ? 1 : 0);
}

/* Heat in a tube: a plane that is closed one way and open the other. */

static void exchange_tube(MPI_Comm plane, int rows, int columns, MPI_Datatype column) {
  const int width = columns + 2;
  int up, down, left, right;
  MPI_Cart_shift(plane, 0, 1, &up, &down);
  MPI_Cart_shift(plane, 1, 1, &left, &right);
  MPI_Sendrecv(&out[width + 1], columns, MPI_DOUBLE, up, 10, &out[(rows + 1) * width + 1], columns,
               MPI_DOUBLE, down, 10, plane, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&out[rows * width + 1], columns, MPI_DOUBLE, down, 11, &out[1], columns, MPI_DOUBLE, up, 11,
               plane, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&out[width + 1], 1, column, left, 12, &out[width + columns + 1], 1, column, right, 12, plane,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&out[width + columns], 1, column, right, 13, &out[width], 1, column, left, 13, plane,
               MPI_STATUS_IGNORE);
}

static void tube(void) {
  int sides[2] = {0, 0}, closed[2] = {1, 0};
  double change = 1, largest, heat = 0, total;
  MPI_Comm plane;
  MPI_Datatype column;
  MPI_Dims_create(size, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, closed, 1, &plane);
  const int rows = 192 / sides[0], columns = 192 / sides[1];
  MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < 20; ++step) {
    exchange_tube(plane, rows, columns, column);
    relax(rows * columns);
    if (step % 5 == 4) MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, plane);
  }
  MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, plane);
  MPI_Type_free(&column);
  MPI_Comm_free(&plane);
}

/* Waves in a box: persistent requests to all neighbours on faces, edges and corners of an open grid, and a
 * sum that is under way while the inner points are done. */

static int add_neighbours(MPI_Comm box, const int* sides, const int* place, MPI_Request* requests) {
  int count = 0;
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        int there[3] = {place[0] + i, place[1] + j, place[2] + k}, neighbour, n = 1;
        const int way = (k + 1) * 9 + (j + 1) * 3 + i + 1;
        if (i == 0 && j == 0 && k == 0) continue;
        if (there[0] < 0 || there[0] >= sides[0] || there[1] < 0 || there[1] >= sides[1] || there[2] < 0 ||
            there[2] >= sides[2])
          continue;
        MPI_Cart_rank(box, there, &neighbour);
        if (i == 0) n *= 32 / sides[0];
        if (j == 0) n *= 32 / sides[1];
        if (k == 0) n *= 32 / sides[2];
        MPI_Recv_init(&in[way * 1024], n, MPI_DOUBLE, neighbour, 26 - way, box, &requests[count++]);
        MPI_Send_init(&out[way * 1024], n, MPI_DOUBLE, neighbour, way, box, &requests[count++]);
      }
  return count;
}

static void box(void) {
  int sides[3] = {0, 0, 0}, open[3] = {0, 0, 0}, place[3];
  MPI_Request requests[52], sum;
  MPI_Comm grid;
  double energy[2] = {0, 0}, total[2];
  MPI_Dims_create(size, 3, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 3, sides, open, 0, &grid);
  MPI_Cart_coords(grid, rank, 3, place);
  const int points = (32 / sides[0]) * (32 / sides[1]) * (32 / sides[2]);
  const int count = add_neighbours(grid, sides, place, requests);
  for (int step = 0; step < 12; ++step) {
    MPI_Startall(count, requests);
    MPI_Iallreduce(energy, total, 2, MPI_DOUBLE, MPI_SUM, grid, &sum);
    relax(points);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
  for (int r = 0; r < count; ++r)
    MPI_Request_free(&requests[r]);
  MPI_Comm_free(&grid);
}

/* Conjugate gradients on a matrix that is distributed over rows and columns of ranks: partial sums along the
 * row, then an exchange with the transposed rank. */

static void multiply(int n, int columns, int rows, MPI_Comm row) {
  MPI_Request request;
  const int column = rank % columns;
  relax(n * 24);
  for (int far = columns / 2; far > 0; far /= 2) {
    MPI_Irecv(in, n, MPI_DOUBLE, column ^ far, 1, row, &request);
    MPI_Send(out, n, MPI_DOUBLE, column ^ far, 1, row);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int transposed = rank % rows * rows + rank / rows;
  if (columns != rows) transposed = 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
  if (transposed == rank) return;
  MPI_Irecv(in, n * rows / columns, MPI_DOUBLE, transposed, 2, MPI_COMM_WORLD, &request);
  MPI_Send(out, n * rows / columns, MPI_DOUBLE, transposed, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cg_grid(void) {
  int rows = 1, columns = 1;
  MPI_Comm row;
  double product = 1, sum, norm[2] = {1, 1}, norms[2];
  while (rows * columns < size)
    if (columns == rows)
      columns *= 2;
    else
      rows *= 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
  const int n = 4096 / rows;
  for (int outer = 0; outer < 3; ++outer) {
    MPI_Allreduce(&product, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    for (int inner = 0; inner < 8; ++inner) {
      multiply(n, columns, rows, row);
      MPI_Allreduce(&product, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
      relax(n);
      MPI_Allreduce(&product, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    }
    multiply(n, columns, rows, row);
    MPI_Allreduce(norm, norms, 2, MPI_DOUBLE, MPI_SUM, row);
  }
  MPI_Comm_free(&row);
}

/* Fourier transforms of a cube in pencils: each is turned round within a row of ranks, then within a column.
 * */

static void turn(MPI_Comm line, int points) {
  int ranks;
  MPI_Comm_size(line, &ranks);
  relax(points);
  MPI_Alltoall(out, points / ranks, MPI_C_DOUBLE_COMPLEX, in, points / ranks, MPI_C_DOUBLE_COMPLEX, line);
}

static void pencils(void) {
  int sides[2] = {0, 0};
  MPI_Comm row, column;
  double complex checksum = 0, total;
  MPI_Dims_create(size, 2, sides);
  MPI_Comm_split(MPI_COMM_WORLD, rank / sides[1], rank % sides[1], &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % sides[1], rank / sides[1], &column);
  const int points = 32 * 32 * 32 / size;
  turn(row, points);
  turn(column, points);
  for (int step = 0; step < 5; ++step) {
    turn(column, points);
    turn(row, points);
    MPI_Reduce(&checksum, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

/* Symmetric relaxation: a front runs from the corner of the first rank to that of the last one, layer by
 * layer, another one back, and then all exchange their borders. */

struct Plane {
  int rows, columns, row, column;
};

static void forward(const struct Plane* p, int north_n, int west_n) {
  for (int layer = 0; layer < 6; ++layer) {
    if (p->row > 0)
      MPI_Recv(in, north_n, MPI_DOUBLE, rank - p->columns, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (p->column > 0) MPI_Recv(in, west_n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    relax(north_n * west_n / 25);
    if (p->row + 1 < p->rows) MPI_Send(out, north_n, MPI_DOUBLE, rank + p->columns, 1, MPI_COMM_WORLD);
    if (p->column + 1 < p->columns) MPI_Send(out, west_n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  }
}

static void backward(const struct Plane* p, int north_n, int west_n) {
  for (int layer = 5; layer >= 0; --layer) {
    if (p->row + 1 < p->rows)
      MPI_Recv(in, north_n, MPI_DOUBLE, rank + p->columns, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (p->column + 1 < p->columns)
      MPI_Recv(in, west_n, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    relax(north_n * west_n / 25);
    if (p->row > 0) MPI_Send(out, north_n, MPI_DOUBLE, rank - p->columns, 2, MPI_COMM_WORLD);
    if (p->column > 0) MPI_Send(out, west_n, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD);
  }
}

static void borders(int before, int after, int n, int tag) {
  MPI_Request from_before, from_after;
  if (before >= 0) MPI_Irecv(in, n, MPI_DOUBLE, before, tag, MPI_COMM_WORLD, &from_before);
  if (after >= 0) MPI_Irecv(&in[n], n, MPI_DOUBLE, after, tag, MPI_COMM_WORLD, &from_after);
  if (after >= 0) MPI_Send(out, n, MPI_DOUBLE, after, tag, MPI_COMM_WORLD);
  if (before >= 0) MPI_Send(&out[n], n, MPI_DOUBLE, before, tag, MPI_COMM_WORLD);
  if (before >= 0) MPI_Wait(&from_before, MPI_STATUS_IGNORE);
  if (after >= 0) MPI_Wait(&from_after, MPI_STATUS_IGNORE);
}

static void relaxation(void) {
  struct Plane p = {1, 1, 0, 0};
  double norm[5] = {0}, norms[5];
  while (p.rows * p.columns < size)
    if (p.rows == p.columns)
      p.rows *= 2;
    else
      p.columns *= 2;
  p.row = rank / p.columns;
  p.column = rank % p.columns;
  const int west_n = 5 * 64 / p.rows, north_n = 5 * 64 / p.columns;
  for (int step = 0; step < 6; ++step) {
    forward(&p, north_n, west_n);
    backward(&p, north_n, west_n);
    borders(p.row > 0 ? rank - p.columns : -1, p.row + 1 < p.rows ? rank + p.columns : -1, 2 * 6 * north_n,
            3);
    borders(p.column > 0 ? rank - 1 : -1, p.column + 1 < p.columns ? rank + 1 : -1, 2 * 6 * west_n, 4);
    if (step == 0 || step == 5) MPI_Allreduce(norm, norms, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* LU of a matrix whose blocks go round and round over the rows and columns of ranks. */

/* The number of blocks from `first` on that the line with this index has. */
static int blocks_from(int first, int blocks, int lines, int index) {
  int count = 0;
  for (int block = first; block < blocks; ++block)
    count += block % lines == index;
  return count;
}

/* The largest value of each column is on the diagonal. */
static void find_pivots(MPI_Comm column, int width, int my_row, int diagonal_row) {
  struct {
    double value;
    int row;
  } mine = {my_row == diagonal_row ? 2 : 1, my_row}, largest;
  for (int c = 0; c < width; ++c) {
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, column);
    MPI_Bcast(out, width - c, MPI_DOUBLE, largest.row, column);
  }
}

static void block_lu(void) {
  enum { blocks = 32, width = 4 };
  int sides[2] = {0, 0}, pivots[width] = {0};
  MPI_Comm row, column;
  MPI_Dims_create(size, 2, sides);
  const int my_row = rank / sides[1], my_column = rank % sides[1];
  MPI_Comm_split(MPI_COMM_WORLD, my_row, my_column, &row);
  MPI_Comm_split(MPI_COMM_WORLD, my_column, my_row, &column);
  for (int k = 0; k < blocks; ++k) {
    const int below = blocks_from(k, blocks, sides[0], my_row);
    const int beside = blocks_from(k + 1, blocks, sides[1], my_column);
    if (k % sides[1] == my_column) find_pivots(column, width, my_row, k % sides[0]);
    MPI_Bcast(pivots, width, MPI_INT, k % sides[1], row);
    MPI_Bcast(out, below * width * width, MPI_DOUBLE, k % sides[1], row);
    MPI_Bcast(in, beside * width * width, MPI_DOUBLE, k % sides[0], column);
    relax(below * beside * width * width);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

/* Multigrid on a plane: levels down to four points a side for each rank, then groups of four ranks give their
 * parts to one of them, and these solve what is left together. */

static void exchange_level(MPI_Comm plane, int rows, int columns, int level) {
  MPI_Request requests[8];
  int up, down, left, right, count = 0;
  MPI_Cart_shift(plane, 0, 1, &up, &down);
  MPI_Cart_shift(plane, 1, 1, &left, &right);
  MPI_Irecv(&in[0], columns, MPI_DOUBLE, up, level, plane, &requests[count++]);
  MPI_Irecv(&in[512], columns, MPI_DOUBLE, down, level, plane, &requests[count++]);
  MPI_Irecv(&in[1024], rows, MPI_DOUBLE, left, level, plane, &requests[count++]);
  MPI_Irecv(&in[1536], rows, MPI_DOUBLE, right, level, plane, &requests[count++]);
  MPI_Isend(&out[0], columns, MPI_DOUBLE, up, level, plane, &requests[count++]);
  MPI_Isend(&out[512], columns, MPI_DOUBLE, down, level, plane, &requests[count++]);
  MPI_Isend(&out[1024], rows, MPI_DOUBLE, left, level, plane, &requests[count++]);
  MPI_Isend(&out[1536], rows, MPI_DOUBLE, right, level, plane, &requests[count++]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void solve_coarse(MPI_Comm group, MPI_Comm leaders, int points) {
  MPI_Gather(out, points, MPI_DOUBLE, in, points, MPI_DOUBLE, 0, group);
  if (leaders != MPI_COMM_NULL) {
    MPI_Allgather(out, 4 * points, MPI_DOUBLE, in, 4 * points, MPI_DOUBLE, leaders);
    relax(points * size);
  }
  MPI_Scatter(in, points, MPI_DOUBLE, out, points, MPI_DOUBLE, 0, group);
}

static void cycle(MPI_Comm plane, MPI_Comm group, MPI_Comm leaders, int rows, int columns, int level) {
  if (rows <= 4 || columns <= 4) {
    solve_coarse(group, leaders, rows * columns);
    return;
  }
  for (int sweep = 0; sweep < 2; ++sweep) {
    exchange_level(plane, rows, columns, level);
    relax(rows * columns);
  }
  exchange_level(plane, rows, columns, level); /* for the residual */
  cycle(plane, group, leaders, rows / 2, columns / 2, level + 1);
  exchange_level(plane, rows, columns, level);
  relax(rows * columns);
}

static void agglomeration(void) {
  int sides[2] = {0, 0}, open[2] = {0, 0};
  MPI_Comm plane, group, leaders;
  double residual = 1, norm;
  MPI_Dims_create(size, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, open, 0, &plane);
  MPI_Comm_split(plane, rank / 4, rank, &group);
  MPI_Comm_split(plane, rank % 4 == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  for (int iteration = 0; iteration < 4; ++iteration) {
    cycle(plane, group, leaders, 256 / sides[0], 256 / sides[1], 0);
    MPI_Allreduce(&residual, &norm, 1, MPI_DOUBLE, MPI_MAX, plane);
  }
  if (leaders != MPI_COMM_NULL) MPI_Comm_free(&leaders);
  MPI_Comm_free(&group);
  MPI_Comm_free(&plane);
}

/* Collectives written by hand, as in a textbook: a binomial broadcast and reduction, a sum of those before,
 * and a gather in which messages get longer. */

static void tree_broadcast(int n) {
  int bit = 1;
  while (bit < size && (rank & bit) == 0)
    bit *= 2;
  if (rank != 0) MPI_Recv(in, n, MPI_DOUBLE, rank - bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (bit /= 2; bit > 0; bit /= 2)
    if (rank + bit < size) MPI_Send(out, n, MPI_DOUBLE, rank + bit, 1, MPI_COMM_WORLD);
}

static void tree_reduce(int n) {
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) {
      MPI_Send(out, n, MPI_DOUBLE, rank & ~bit, 2, MPI_COMM_WORLD);
      return;
    }
    if (rank + bit >= size) continue;
    MPI_Recv(in, n, MPI_DOUBLE, rank + bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    relax(n);
  }
}

static void sum_before(int n) {
  for (int far = 1; far < size; far *= 2) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank + far < size) MPI_Isend(out, n, MPI_DOUBLE, rank + far, 3, MPI_COMM_WORLD, &request);
    if (rank >= far) MPI_Recv(in, n, MPI_DOUBLE, rank - far, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void tree_gather(int n) {
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) {
      MPI_Send(out, n * bit, MPI_DOUBLE, rank - bit, 4, MPI_COMM_WORLD);
      break;
    }
    MPI_Recv(in, n * bit, MPI_DOUBLE, rank + bit, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void trees(void) {
  for (int step = 0; step < 5; ++step) {
    tree_broadcast(200);
    relax(20000 / size);
    tree_reduce(200);
    sum_before(1);
  }
  tree_gather(50);
}

/* Sample sort of the same numbers on any number of ranks: how many go where depends on them. */

static int ascending(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return x < y ? -1 : x > y;
}

static unsigned key(unsigned index, unsigned round) {
  unsigned x = index * 2654435761u + round * 40503u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x;
}

static void choose_splitters(const unsigned* keys, int n, unsigned* splitters) {
  unsigned samples[most_ranks], all[most_ranks * most_ranks];
  for (int s = 0; s < size - 1; ++s)
    samples[s] = keys[(s + 1) * n / size];
  MPI_Gather(samples, size - 1, MPI_UNSIGNED, all, size - 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(all, (size_t)(size * (size - 1)), sizeof *all, ascending);
    for (int s = 0; s < size - 1; ++s)
      splitters[s] = all[(s + 1) * (size - 1)];
  }
  MPI_Bcast(splitters, size - 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
}

static void sample_sort(void) {
  enum { keys = 1 << 14 };
  static unsigned mine[keys], sorted[keys];
  unsigned splitters[most_ranks];
  int sent[most_ranks], received[most_ranks], sent_at[most_ranks], received_at[most_ranks];
  const int n = keys / size;
  for (unsigned round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i)
      mine[i] = key((unsigned)(rank * n + i), round);
    qsort(mine, (size_t)n, sizeof *mine, ascending);
    choose_splitters(mine, n, splitters);
    memset(sent, 0, sizeof sent);
    for (int i = 0, to = 0; i < n; ++i) {
      while (to < size - 1 && mine[i] > splitters[to])
        ++to;
      ++sent[to];
    }
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    sent_at[0] = received_at[0] = 0;
    for (int r = 1; r < size; ++r) {
      sent_at[r] = sent_at[r - 1] + sent[r - 1];
      received_at[r] = received_at[r - 1] + received[r - 1];
    }
    MPI_Alltoallv(mine, sent, sent_at, MPI_UNSIGNED, sorted, received, received_at, MPI_UNSIGNED,
                  MPI_COMM_WORLD);
    const int total = received_at[size - 1] + received[size - 1];
    qsort(sorted, (size_t)total, sizeof *sorted, ascending);
    if (rank + 1 < size)
      MPI_Send(&sorted[total > 0 ? total - 1 : 0], 1, MPI_UNSIGNED, rank + 1, 5, MPI_COMM_WORLD);
    if (rank > 0) MPI_Recv(in, 1, MPI_UNSIGNED, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Lines of a picture, given to whoever asks: the first rank receives from any. */

enum { lines = 192, line_points = 320, work_tag = 1, end_tag = 2 };

static void give_work(void) {
  MPI_Status status;
  int next = 0, busy = 0;
  for (int worker = 1; worker < size && next < lines; ++worker, ++next, ++busy)
    MPI_Send(&next, 1, MPI_INT, worker, work_tag, MPI_COMM_WORLD);
  while (busy > 0) {
    MPI_Recv(in, line_points, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (next < lines) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, work_tag, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(&next, 0, MPI_INT, status.MPI_SOURCE, end_tag, MPI_COMM_WORLD);
      --busy;
    }
  }
}

static void do_work(void) {
  MPI_Status status;
  int line;
  for (;;) {
    MPI_Recv(&line, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == end_tag) return;
    relax(20000);
    MPI_Send(out, line_points, MPI_FLOAT, 0, line, MPI_COMM_WORLD);
  }
}

static void picture(void) {
  double corner[4] = {-2, 1, -1, 1};
  MPI_Bcast(corner, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    give_work();
  else
    do_work();
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Particles on a ring of cells: those that leave go to the next rank on either side, which asks how many
 * come. */

static int migrate(int leaving_left, int leaving_right) {
  MPI_Request requests[2];
  MPI_Status status;
  int arrived = 0;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Isend(out, 6 * leaving_left, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 6 * leaving_right, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  for (int side = 0; side < 2; ++side) {
    int n;
    MPI_Probe(side == 0 ? right : left, side + 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    MPI_Recv(&in[arrived], n, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    arrived += n;
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return arrived / 6;
}

static void particles(void) {
  int mine = 6400 / size, total;
  for (unsigned step = 0; step < 16; ++step) {
    relax(20 * mine);
    const int left = (int)(key((unsigned)rank, step) % (unsigned)(1 + mine / 16));
    const int right = (int)(key((unsigned)rank, step + 100) % (unsigned)(1 + mine / 16));
    mine += migrate(left, right) - left - right;
    if (step % 4 == 3) MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Strips of a plane with 1,000 rows, which 16 and more ranks cannot share equally: borders are put into the
 * neighbours' windows, and the plane comes from the first rank and goes back there. */

static void put_borders(MPI_Win window, int rows, int columns, int rows_above) {
  MPI_Win_fence(0, window);
  if (rank > 0)
    MPI_Put(&out[columns], columns, MPI_DOUBLE, rank - 1, (MPI_Aint)(rows_above + 1) * columns, columns,
            MPI_DOUBLE, window);
  if (rank + 1 < size)
    MPI_Put(&out[rows * columns], columns, MPI_DOUBLE, rank + 1, 0, columns, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}

static void strips(void) {
  enum { all_rows = 1000, columns = 40 };
  int counts[most_ranks], starts[most_ranks];
  double change = 0, largest;
  MPI_Win window;
  for (int r = 0, start = 0; r < size; start += counts[r++]) {
    counts[r] = share(all_rows, size, r) * columns;
    starts[r] = start;
  }
  const int rows = counts[rank] / columns, rows_above = rank > 0 ? counts[rank - 1] / columns : 0;
  MPI_Scatterv(in, counts, starts, MPI_DOUBLE, &out[columns], counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Win_create(out, (MPI_Aint)(rows + 2) * columns * (MPI_Aint)sizeof *out, sizeof *out, MPI_INFO_NULL,
                 MPI_COMM_WORLD, &window);
  for (int step = 0; step < 10; ++step) {
    put_borders(window, rows, columns, rows_above);
    relax(rows * columns);
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
  MPI_Gatherv(&out[columns], counts[rank], MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } programs[] = {{"tube", tube},
                  {"box", box},
                  {"cg_grid", cg_grid},
                  {"pencils", pencils},
                  {"relaxation", relaxation},
                  {"block_lu", block_lu},
                  {"agglomeration", agglomeration},
                  {"trees", trees},
                  {"sample_sort", sample_sort},
                  {"picture", picture},
                  {"particles", particles},
                  {"strips", strips}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 4 || size > most_ranks || (size & (size - 1)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  int result = argc == 1 ? 0 : 1;
  for (size_t p = 0; p < sizeof programs / sizeof programs[0]; ++p) {
    if (argc == 1 && rank == 0) printf("%s\n", programs[p].name);
    if (argc != 2 || strcmp(argv[1], programs[p].name) != 0) continue;
    programs[p].run();
    result = 0;
  }
  MPI_Finalize();
  return result;
}
