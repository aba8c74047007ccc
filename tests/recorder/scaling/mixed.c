/* SPDX-License-Identifier: MIT
 * Small programs of two kinds: three are regular, and of three the messages depend on data: mixed NAME.
 * Without a name, the first rank lists the names. For any power of two of ranks from 4 to 64. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
  edge = 256,       /* points along one side of the plane */
  values = 1 << 15, /* in the vector that is summed */
  cells = 4096,     /* in the line that is refined */
  walkers = 2048,
  tasks_each = 6, /* tasks for each worker of the farm */
  most_ranks = 64
};
static double out[1 << 16], in[1 << 16];
static MPI_Comm grid, row_comm, column_comm;
static int rank, size;
static int iteration;
static int sides[2], place[2];

/* A number that looks like chance, and is the same in each run. */
static unsigned mixed_up(unsigned a, unsigned b) {
  unsigned x = a * 2654435761u + b * 40503u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x;
}

/* Waves on a closed plane. The second exchange takes the corners along that the first one has filled. */
static int north, south, west, east;

static void waves_begin(void) {
  const int closed[2] = {1, 1};
  sides[0] = sides[1] = 0;
  MPI_Dims_create(size, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, closed, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
}

static void waves(void) {
  const int height = edge / sides[0], width = edge / sides[1] + 4; /* two columns of halo on each side */
  MPI_Request requests[4];
  MPI_Irecv(in, 2 * height, MPI_DOUBLE, west, 0, grid, &requests[0]);
  MPI_Irecv(in + edge * 4, 2 * height, MPI_DOUBLE, east, 1, grid, &requests[1]);
  MPI_Isend(out, 2 * height, MPI_DOUBLE, east, 0, grid, &requests[2]);
  MPI_Isend(out + edge * 4, 2 * height, MPI_DOUBLE, west, 1, grid, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 2 * width, MPI_DOUBLE, north, 2, grid, &requests[0]);
  MPI_Irecv(in + edge * 4, 2 * width, MPI_DOUBLE, south, 3, grid, &requests[1]);
  MPI_Isend(out, 2 * width, MPI_DOUBLE, south, 2, grid, &requests[2]);
  MPI_Isend(out + edge * 4, 2 * width, MPI_DOUBLE, north, 3, grid, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void waves_end(void) {
  MPI_Comm_free(&grid);
}

/* A vector is summed over all ranks in parts that travel along a ring, and then goes around once more. */
static void ring_sum(void) {
  const int part = values / size, to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int round = 0; round < 2; ++round)
    for (int step = 0; step < size - 1; ++step)
      MPI_Sendrecv(out, part, MPI_DOUBLE, to, round, in, part, MPI_DOUBLE, from, round, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
}

/* A table whose rows are added up along the rows of ranks, and whose sums are gathered down the columns. */
static void table_begin(void) {
  sides[0] = 1;
  while (sides[0] * sides[0] * 2 <= size)
    sides[0] *= 2;
  sides[1] = size / sides[0];
  place[0] = rank / sides[1];
  place[1] = rank % sides[1];
  MPI_Comm_split(MPI_COMM_WORLD, place[0], place[1], &row_comm);
  MPI_Comm_split(MPI_COMM_WORLD, place[1], place[0], &column_comm);
}

static void table(void) {
  const int rows = edge / sides[0];
  MPI_Scan(out, in, rows, MPI_DOUBLE, MPI_SUM, row_comm);
  MPI_Bcast(in, rows, MPI_DOUBLE, sides[1] - 1, row_comm);
  MPI_Gather(in, rows, MPI_DOUBLE, out, rows, MPI_DOUBLE, 0, column_comm);
}

static void table_end(void) {
  MPI_Comm_free(&row_comm);
  MPI_Comm_free(&column_comm);
}

/* A line of cells, more of them where the data say so. Neighbours tell each other how many they have, then
 * exchange some values of each, until little changes: longer on more ranks. */
static void refined(void) {
  int mine = 0, theirs[2] = {0, 0}, changes = size;
  for (int cell = rank * (cells / size); cell < (rank + 1) * (cells / size); ++cell)
    mine += 1 + (mixed_up((unsigned)cell / 16, (unsigned)iteration) % 4 == 0 ? 3 : 0);
  const int others[2] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < size - 1 ? rank + 1 : MPI_PROC_NULL};
  for (int side = 0; side < 2; ++side)
    MPI_Sendrecv(&mine, 1, MPI_INT, others[side], 0, &theirs[1 - side], 1, MPI_INT, others[1 - side], 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (changes > 0) {
    int all;
    for (int side = 0; side < 2; ++side)
      MPI_Sendrecv(out, mine, MPI_DOUBLE, others[side], 1, in, theirs[1 - side], MPI_DOUBLE, others[1 - side],
                   1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    changes /= 2;
    MPI_Allreduce(&changes, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

/* Walkers in a plane of ranks go to a neighbour now and then: only ranks that have some send them. */
static void walk_begin(void) {
  waves_begin();
}

static void walk(void) {
  const int to[4] = {north, south, west, east};
  int leaving[4] = {0, 0, 0, 0}, coming[4];
  for (int walker = 0; walker < walkers / size; ++walker) {
    const unsigned chance = mixed_up((unsigned)(rank * walkers + walker), (unsigned)iteration) % 16;
    if (chance < 4) ++leaving[chance];
  }
  for (int way = 0; way < 4; ++way)
    MPI_Sendrecv(&leaving[way], 1, MPI_INT, to[way], way, &coming[way], 1, MPI_INT, to[way ^ 1], way, grid,
                 MPI_STATUS_IGNORE);
  for (int way = 0; way < 4; ++way) {
    MPI_Request request;
    if (coming[way] > 0) MPI_Irecv(in, 3 * coming[way], MPI_DOUBLE, to[way ^ 1], 4 + way, grid, &request);
    if (leaving[way] > 0) MPI_Send(out, 3 * leaving[way], MPI_DOUBLE, to[way], 4 + way, grid);
    if (coming[way] > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* The first rank hands out tasks to whoever asks; what comes back differs in size. */
static void farm(void) {
  MPI_Status status;
  if (rank > 0) {
    int task;
    MPI_Send(out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    for (;;) {
      MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (task < 0) return;
      MPI_Send(out, 16 + (int)(mixed_up((unsigned)task, 7) % 64), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
  }
  const int tasks = tasks_each * (size - 1);
  for (int task = 0; task < tasks + size - 1; ++task) {
    const int next = task < tasks ? task : -1;
    MPI_Recv(in, 1 << 16, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*begin)(void);
    void (*iterate)(void);
    void (*end)(void);
    int iterations;
  } programs[] = {{"waves", waves_begin, waves, waves_end, 6}, {"ring_sum", NULL, ring_sum, NULL, 2},
                  {"table", table_begin, table, table_end, 5}, {"refined", NULL, refined, NULL, 4},
                  {"walk", walk_begin, walk, waves_end, 8},    {"farm", NULL, farm, NULL, 2}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 4 || size > most_ranks || (size & (size - 1)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  int result = argc == 1 ? 0 : 1;
  for (size_t p = 0; p < sizeof programs / sizeof programs[0]; ++p) {
    if (argc == 1 && rank == 0) printf("%s\n", programs[p].name);
    if (argc != 2 || strcmp(argv[1], programs[p].name) != 0) continue;
    if (programs[p].begin) programs[p].begin();
    for (iteration = 0; iteration < programs[p].iterations; ++iteration)
      programs[p].iterate();
    if (programs[p].end) programs[p].end();
    MPI_Barrier(MPI_COMM_WORLD);
    result = 0;
  }
  MPI_Finalize();
  return result;
}
