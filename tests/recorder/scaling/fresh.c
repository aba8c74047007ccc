/* SPDX-License-Identifier: MIT
 * More small programs with the messages of mini-apps, textbooks and benchmarks: fresh NAME. Without a name,
 * the first rank lists the names. For any power of two of ranks from 4 to 64. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
  values = 65536, /* of the whole problem */
  edge = 384,     /* rows and columns of a matrix, points along one side of a plane */
  box = 96,       /* points along one side of a cube */
  fine = 512,     /* points along one side of the finest level */
  levels = 4,
  coarse = fine >> levels,
  panel = 24, /* columns of a block */
  rows = 1000,
  most_ranks = 64
};
static double out[values], in[values];
static MPI_Request requests[2 * most_ranks];
static MPI_Comm grid, row_comm, column_comm;
static MPI_Datatype column_type;
static MPI_Win window;
static int rank, size;
static int iteration;
static int sides[3], place[3];

/* Flow in a channel around a cylinder: closed in the second dimension only. */
static int height, width, up, down, left, right;

static void channel_begin(void) {
  const int closed[2] = {0, 1};
  MPI_Dims_create(size, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, closed, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  height = edge / sides[0];
  width = edge / sides[1];
  MPI_Type_vector(height, 1, width + 2, MPI_DOUBLE, &column_type);
  MPI_Type_commit(&column_type);
}

static double* at(int row, int column) {
  return &out[row * (width + 2) + column];
}

static void channel(void) {
  MPI_Sendrecv(at(1, 1), width, MPI_DOUBLE, up, 0, at(height + 1, 1), width, MPI_DOUBLE, down, 0, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(at(height, 1), width, MPI_DOUBLE, down, 1, at(0, 1), width, MPI_DOUBLE, up, 1, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(at(1, 1), 1, column_type, left, 2, at(1, width + 1), 1, column_type, right, 2, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(at(1, width), 1, column_type, right, 3, at(1, 0), 1, column_type, left, 3, grid,
               MPI_STATUS_IGNORE);
}

static void channel_end(void) {
  MPI_Type_free(&column_type);
  MPI_Comm_free(&grid);
}

/* Heat in an open box, cut in three dimensions: the six faces. */
static void heat_begin(void) {
  MPI_Dims_create(size, 3, sides);
  place[0] = rank / (sides[1] * sides[2]);
  place[1] = rank / sides[2] % sides[1];
  place[2] = rank % sides[2];
}

static void heat(void) {
  const int stride[3] = {sides[1] * sides[2], sides[2], 1};
  int count = 0;
  for (int d = 0; d < 3; ++d) {
    const int n = box / sides[(d + 1) % 3] * (box / sides[(d + 2) % 3]);
    double* const low = in + 2 * d * box * box;
    if (place[d] > 0)
      MPI_Irecv(low, n, MPI_DOUBLE, rank - stride[d], 2 * d, MPI_COMM_WORLD, &requests[count++]);
    if (place[d] < sides[d] - 1)
      MPI_Irecv(low + box * box, n, MPI_DOUBLE, rank + stride[d], 2 * d + 1, MPI_COMM_WORLD,
                &requests[count++]);
  }
  for (int d = 0; d < 3; ++d) {
    const int n = box / sides[(d + 1) % 3] * (box / sides[(d + 2) % 3]);
    double* const low = out + 2 * d * box * box;
    if (place[d] > 0)
      MPI_Isend(low, n, MPI_DOUBLE, rank - stride[d], 2 * d + 1, MPI_COMM_WORLD, &requests[count++]);
    if (place[d] < sides[d] - 1)
      MPI_Isend(low + box * box, n, MPI_DOUBLE, rank + stride[d], 2 * d, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* A grid with as many columns as rows, or twice as many. */
static void square_begin(void) {
  sides[0] = 1;
  while (sides[0] * sides[0] * 4 <= size)
    sides[0] *= 2;
  sides[1] = size / sides[0];
  place[0] = rank / sides[1];
  place[1] = rank % sides[1];
  MPI_Comm_split(MPI_COMM_WORLD, place[0], place[1], &row_comm);
  MPI_Comm_split(MPI_COMM_WORLD, place[1], place[0], &column_comm);
}

static void square_end(void) {
  MPI_Comm_free(&row_comm);
  MPI_Comm_free(&column_comm);
}

/* Conjugate gradients with the matrix cut in both directions: the product is summed along the rows, goes to
 * the transposed rank, and is put together along the columns. */
static void gradients(void) {
  const int n = values / 4 / size, wide = sides[1] / sides[0];
  const int across = rank / wide % sides[0] * sides[1] + rank / wide / sides[0] * wide + rank % wide;
  double mine = 1, sum;
  MPI_Reduce_scatter_block(out, in, n, MPI_DOUBLE, MPI_SUM, row_comm);
  if (across != rank)
    MPI_Sendrecv(in, n, MPI_DOUBLE, across, 1, out, n, MPI_DOUBLE, across, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, column_comm);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* p q */
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* rho */
}

/* A matrix in blocks of columns is transposed: in each round, one block goes and one comes. */
static void rounds(void) {
  const int n = edge / size * (edge / size);
  for (int k = 1; k < size; ++k) {
    const int to = (rank + k) % size, from = (rank - k + size) % size;
    MPI_Sendrecv(out, n, MPI_DOUBLE, to, k, in, n, MPI_DOUBLE, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Each point needs the one above and the one to the left: the columns are spread over a chain of ranks, and
 * the rows go down the chain in blocks. */
static void chain(void) {
  const int block = 32;
  double mine = 1, worst;
  for (int row = 0; row < edge; row += block) {
    if (rank > 0) MPI_Recv(in + row, block, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1) MPI_Send(out + row, block, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD);
  }
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* How many of the blocks from first to the last one are mine, when they are dealt round and round. */
static int dealt(int first, int me, int parts) {
  int count = 0;
  for (int b = first; b < edge / panel; ++b)
    count += b % parts == me;
  return count;
}

/* LU of a matrix in blocks dealt over a grid: the block on the diagonal goes down its column, the panel below
 * it along the rows, and the one right of it down the columns. */
static void block_lu(void) {
  for (int k = 0; k < edge / panel; ++k) {
    const int owner_row = k % sides[0], owner_column = k % sides[1];
    const int below = dealt(k + 1, place[0], sides[0]), beside = dealt(k + 1, place[1], sides[1]);
    if (place[1] == owner_column) MPI_Bcast(out, panel * panel, MPI_DOUBLE, owner_row, column_comm);
    MPI_Bcast(out, (below + (place[0] == owner_row)) * panel * panel, MPI_DOUBLE, owner_column, row_comm);
    if (beside > 0) MPI_Bcast(in, beside * panel * panel, MPI_DOUBLE, owner_row, column_comm);
  }
}

/* The four borders of a level, on an open grid of ranks. */
static void borders(int level) {
  const int partner[4] = {place[0] > 0 ? rank - sides[1] : MPI_PROC_NULL,
                          place[0] < sides[0] - 1 ? rank + sides[1] : MPI_PROC_NULL,
                          place[1] > 0 ? rank - 1 : MPI_PROC_NULL,
                          place[1] < sides[1] - 1 ? rank + 1 : MPI_PROC_NULL};
  for (int way = 0; way < 4; ++way) {
    const int n = (fine >> level) / sides[way < 2];
    MPI_Irecv(in + way * fine, n, MPI_DOUBLE, partner[way], 10 * level + (way ^ 1), MPI_COMM_WORLD,
              &requests[way]);
  }
  for (int way = 0; way < 4; ++way) {
    const int n = (fine >> level) / sides[way < 2];
    MPI_Send(out + way * fine, n, MPI_DOUBLE, partner[way], 10 * level + way, MPI_COMM_WORLD);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void poisson_begin(void) {
  MPI_Dims_create(size, 2, sides);
  place[0] = rank / sides[1];
  place[1] = rank % sides[1];
}

/* A V-cycle: down to the coarsest level, which the first rank solves for all, and up again. */
static void poisson(void) {
  const int n = coarse * coarse / size;
  double mine = 1, norm;
  for (int level = 0; level < levels; ++level) {
    borders(level); /* smooth */
    borders(level); /* residual */
  }
  MPI_Gather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(in, coarse * coarse, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int level = levels - 1; level >= 0; --level)
    borders(level);
  MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Clusters of points: the centres go down a binomial tree by hand, the sums come up again. */
static void by_hand(void) {
  const int n = 640;
  int bit = 1;
  while (bit < size && (rank & bit) == 0)
    bit *= 2;
  if (rank > 0) MPI_Recv(in, n, MPI_DOUBLE, rank - bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int b = bit / 2; b > 0; b /= 2)
    MPI_Send(out, n, MPI_DOUBLE, rank + b, 1, MPI_COMM_WORLD);
  for (int b = 1; b < bit; b *= 2)
    MPI_Recv(in, n + 10, MPI_DOUBLE, rank + b, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > 0) MPI_Send(out, n + 10, MPI_DOUBLE, rank - bit, 2, MPI_COMM_WORLD);
}

/* Sample sort, of keys that turn out to be spread evenly. */
static void samples(void) {
  static int keys[values], sorted[values], splitters[most_ranks], picked[most_ranks * most_ranks];
  static int counts[most_ranks], offsets[most_ranks], theirs[most_ranks], places[most_ranks];
  const int n = values / size / size;
  MPI_Gather(keys, size - 1, MPI_INT, picked, size - 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(splitters, size - 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r)
    counts[r] = n;
  MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 1; r < size; ++r) {
    offsets[r] = offsets[r - 1] + counts[r - 1];
    places[r] = places[r - 1] + theirs[r - 1];
  }
  MPI_Alltoallv(keys, counts, offsets, MPI_INT, sorted, theirs, places, MPI_INT, MPI_COMM_WORLD);
}

/* Rows with a band and a dense part: the first ranks have one row more than the others. Each shows its edges
 * to the next and the previous, and all of its part of the vector to everybody. */
static void remainders(void) {
  static int counts[most_ranks], offsets[most_ranks];
  const int band = 6;
  int count = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = rows / size + (r < rows % size);
    offsets[r] = r > 0 ? offsets[r - 1] + counts[r - 1] : 0;
  }
  if (rank > 0) MPI_Irecv(in, band, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &requests[count++]);
  if (rank < size - 1)
    MPI_Irecv(in + band, band, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &requests[count++]);
  if (rank > 0) MPI_Isend(out, band, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &requests[count++]);
  if (rank < size - 1)
    MPI_Isend(out + band, band, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &requests[count++]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* A closed ring of slabs: the same four messages are started again and again, while a sum is under way. */
static void persistent_begin(void) {
  const int before = (rank + size - 1) % size, after = (rank + 1) % size;
  MPI_Recv_init(in, edge, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in + edge, edge, MPI_DOUBLE, after, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(out, edge, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(out + edge, edge, MPI_DOUBLE, after, 1, MPI_COMM_WORLD, &requests[3]);
}

static void persistent(void) {
  static double mine[2], sums[2];
  MPI_Request reduction;
  MPI_Startall(4, requests);
  MPI_Iallreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &reduction);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&reduction, MPI_STATUS_IGNORE);
}

static void persistent_end(void) {
  for (int r = 0; r < 4; ++r)
    MPI_Request_free(&requests[r]);
}

/* Waves on a line with open ends: each puts its borders into the memory of its neighbours. */
static void puts_begin(void) {
  MPI_Win_create(in, 2 * edge * sizeof in[0], sizeof in[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void put_borders(void) {
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  if (rank > 0) MPI_Put(out, edge, MPI_DOUBLE, rank - 1, edge, edge, MPI_DOUBLE, window);
  if (rank < size - 1) MPI_Put(out + edge, edge, MPI_DOUBLE, rank + 1, 0, edge, MPI_DOUBLE, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static void puts_end(void) {
  double energy[3] = {1, 1, 1}, sums[3];
  MPI_Reduce(energy, sums, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*begin)(void);
    void (*iterate)(void);
    void (*end)(void);
    int iterations;
  } programs[] = {{"channel", channel_begin, channel, channel_end, 6},
                  {"heat", heat_begin, heat, NULL, 5},
                  {"gradients", square_begin, gradients, square_end, 7},
                  {"rounds", NULL, rounds, NULL, 3},
                  {"chain", NULL, chain, NULL, 4},
                  {"block_lu", square_begin, block_lu, square_end, 2},
                  {"poisson", poisson_begin, poisson, NULL, 4},
                  {"by_hand", NULL, by_hand, NULL, 6},
                  {"samples", NULL, samples, NULL, 3},
                  {"remainders", NULL, remainders, NULL, 5},
                  {"persistent", persistent_begin, persistent, persistent_end, 8},
                  {"put_borders", puts_begin, put_borders, puts_end, 6}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 4 || size > most_ranks || (size & (size - 1)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  int result = argc == 1 ? 0 : 1;
  for (size_t p = 0; p < sizeof programs / sizeof programs[0]; ++p) {
    if (argc == 1 && rank == 0) printf("%s\n", programs[p].name);
    if (argc != 2 || strcmp(argv[1], programs[p].name) != 0) continue;
    double longest, time = 0;
    if (programs[p].begin) programs[p].begin();
    for (iteration = 0; iteration < programs[p].iterations; ++iteration)
      programs[p].iterate();
    if (programs[p].end) programs[p].end();
    MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    result = 0;
  }
  MPI_Finalize();
  return result;
}
