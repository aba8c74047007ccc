/* SPDX-License-Identifier: MIT
 * Small programs with the messages of mini-apps, textbooks and benchmarks: unseen NAME. Without a name, the
 * first rank lists the names. For any power of two of ranks from 4 to 64. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
  values = 49152, /* of the whole problem: 2^14 * 3 */
  edge = 384,     /* rows and columns of a matrix, points along one side of a plane */
  bodies = 3072,
  tasks = 120,
  most_ranks = 1024
};
static double out[values], in[values];
static MPI_Request requests[2 * most_ranks];
static int rank, size;
static int iteration;

static void swap(int partner, int n, int tag) {
  MPI_Sendrecv(out, n, MPI_DOUBLE, partner, tag, in, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void send(int to, int n, int tag) {
  MPI_Send(out, n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int n, int tag) {
  MPI_Recv(in, n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void all(MPI_Op op) {
  double result;
  MPI_Allreduce(out, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
}

/* A barrier by hand: messages without data, each time to a rank twice as far. */
static void dissemination(void) {
  for (int far = 1; far < size; far *= 2)
    MPI_Sendrecv(out, 0, MPI_BYTE, (rank + far) % size, 9, in, 0, MPI_BYTE, (rank + size - far) % size, 9,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Odd-even transposition sort: as many phases as ranks, with the next and the previous in turn. */
static void odd_even(void) {
  for (int phase = 0; phase < size; ++phase) {
    const int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner >= 0 && partner < size) swap(partner, values / size, phase % 2);
  }
}

/* All pairs of bodies: positions and forces go half way round the ring, the forces then straight home. */
static void half_ring(void) {
  for (int step = 1; step <= size / 2; ++step) {
    MPI_Irecv(in, 6 * bodies / size, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 6 * bodies / size, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  swap((rank + size / 2) % size, 3 * bodies / size, 2);
  all(MPI_MIN); /* the next time step */
}

/* Bitonic sort: a triangle of exchanges, all of the same size. */
static void bitonic(void) {
  for (int block = 2; block <= size; block *= 2)
    for (int bit = block / 2; bit > 0; bit /= 2)
      swap(rank ^ bit, values / size, block);
}

/* Quicksort on a hypercube: the first rank of each cube gives its median to the others, then the halves
 * exchange how many keys they have and the keys, and each goes on by itself. */
static void hyperquick(void) {
  int mine = 0, theirs = 0;
  for (int cube = size; cube > 1; cube /= 2) {
    const int first = rank - rank % cube, partner = rank ^ (cube / 2);
    if (rank != first) receive(first, 1, 1);
    for (int r = first + 1; rank == first && r < first + cube; ++r)
      send(r, 1, 1);
    MPI_Sendrecv(&mine, 1, MPI_INT, partner, 2, &theirs, 1, MPI_INT, partner, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    swap(partner, values / size / 2, 3);
  }
}

/* LU of a matrix in blocks of columns: each rank in turn gives its pivots and its panel, which gets shorter.
 */
static void lu(void) {
  static int pivots[edge];
  const int width = edge / size;
  for (int step = 0; step < size; ++step) {
    MPI_Bcast(pivots, width, MPI_INT, step, MPI_COMM_WORLD);
    MPI_Bcast(out, (edge - step * width) * width, MPI_DOUBLE, step, MPI_COMM_WORLD);
  }
}

/* With one side and then the other; even ranks send first. The first and the last one have nobody on one
 * side. */
static void half_exchange(int colour) {
  const int n = edge / 2;
  for (int side = 0; side < 2; ++side) {
    const int partner = (rank + side) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) continue;
    if (rank % 2 == 0) send(partner, n, colour);
    receive(partner, n, colour);
    if (rank % 2 == 1) send(partner, n, colour);
  }
}

/* Red-black relaxation on slabs; whether it has converged is asked every third time. */
static void redblack(void) {
  half_exchange(0);
  half_exchange(1);
  if (iteration % 3 == 2) all(MPI_MAX);
}

/* Borders two points deep on a closed grid of ranks, with all eight neighbours at once. */
static void corners(void) {
  int sides[2] = {0, 0}, count = 0;
  MPI_Dims_create(size, 2, sides);
  const int row = rank / sides[1], column = rank % sides[1];
  for (int way = 0; way < 9; ++way) {
    const int down = way / 3 - 1, right = way % 3 - 1;
    if (way == 4) continue;
    const int to = (row + down + sides[0]) % sides[0] * sides[1] + (column + right + sides[1]) % sides[1];
    const int from = (row - down + sides[0]) % sides[0] * sides[1] + (column - right + sides[1]) % sides[1];
    const int n = (down ? 2 : edge / sides[0]) * (right ? 2 : edge / sides[1]);
    MPI_Irecv(in + way * 2 * edge, n, MPI_DOUBLE, from, way, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(out + way * 2 * edge, n, MPI_DOUBLE, to, way, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* The same number of tasks for any number of ranks, given round and round to all but the first: some may get
 * one more than others. */
static void farm(void) {
  const int workers = size - 1;
  for (int task = 0; rank > 0 && task < tasks; ++task) {
    if (task % workers != rank - 1) continue;
    receive(0, 40, 1);
    send(0, 250, 2);
  }
  for (int task = 0; rank == 0 && task < tasks; task += workers) {
    for (int t = task; t < task + workers && t < tasks; ++t)
      send(1 + t % workers, 40, 1);
    for (int t = task; t < task + workers && t < tasks; ++t)
      receive(1 + t % workers, 250, 2);
  }
}

/* From one corner of an open grid to the one across, four layers after each other. */
static void sweep(int down, int right, int tag) {
  int sides[2] = {0, 0};
  MPI_Dims_create(size, 2, sides);
  const int row = down > 0 ? rank / sides[1] : sides[0] - 1 - rank / sides[1];
  const int column = right > 0 ? rank % sides[1] : sides[1] - 1 - rank % sides[1];
  for (int layer = 0; layer < 4; ++layer) {
    if (row > 0) receive(rank - down * sides[1], 4 * edge / sides[1], tag);
    if (column > 0) receive(rank - right, 4 * edge / sides[0], tag);
    if (row < sides[0] - 1) send(rank + down * sides[1], 4 * edge / sides[1], tag);
    if (column < sides[1] - 1) send(rank + right, 4 * edge / sides[0], tag);
  }
}

/* Transport of particles: a sweep from each corner. */
static void wavefront(void) {
  sweep(1, 1, 0);
  sweep(1, -1, 1);
  sweep(-1, 1, 2);
  sweep(-1, -1, 3);
  all(MPI_SUM);
}

/* A sum of a long vector: each piece goes round the ring twice, first summed and then copied. */
static void ring_allreduce(void) {
  const int n = values / size;
  for (int step = 0; step < 2 * (size - 1); ++step) {
    const int tag = step < size - 1 ? 1 : 2;
    MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
    send((rank + 1) % size, n, tag);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
}

/* Spectral elements in an open box: sums over the points shared with up to 26 neighbours on faces, edges and
 * corners, then the two products of conjugate gradients. */
static void spectral(void) {
  int sides[3] = {0, 0, 0}, count = 0;
  MPI_Dims_create(size, 3, sides);
  const int place[3] = {rank / (sides[1] * sides[2]), rank / sides[2] % sides[1], rank % sides[2]};
  for (int way = 0; way < 27; ++way) {
    const int move[3] = {way / 9 - 1, way / 3 % 3 - 1, way % 3 - 1};
    int partner = 0, n = 1, there = way != 13;
    for (int d = 0; d < 3; ++d) {
      const int p = place[d] + move[d];
      there = there && p >= 0 && p < sides[d];
      partner = partner * sides[d] + p;
      if (move[d] == 0) n *= 48 / sides[d];
    }
    if (!there) continue;
    MPI_Irecv(in + way * 1800, n, MPI_DOUBLE, partner, 26 - way, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(out + way * 1800, n, MPI_DOUBLE, partner, way, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  all(MPI_SUM);
  all(MPI_SUM);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*iterate)(void);
    int iterations;
  } programs[] = {{"dissemination", dissemination, 8},
                  {"odd_even", odd_even, 4},
                  {"half_ring", half_ring, 5},
                  {"bitonic", bitonic, 4},
                  {"hyperquick", hyperquick, 5},
                  {"lu", lu, 3},
                  {"redblack", redblack, 8},
                  {"corners", corners, 6},
                  {"farm", farm, 3},
                  {"wavefront", wavefront, 4},
                  {"ring_allreduce", ring_allreduce, 3},
                  {"spectral", spectral, 7}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 4 || size > most_ranks || (size & (size - 1)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  int result = argc == 1 ? 0 : 1;
  for (size_t p = 0; p < sizeof programs / sizeof programs[0]; ++p) {
    if (argc == 1 && rank == 0) printf("%s\n", programs[p].name);
    if (argc != 2 || strcmp(argv[1], programs[p].name) != 0) continue;
    double longest, time = 0;
    for (iteration = 0; iteration < programs[p].iterations; ++iteration)
      programs[p].iterate();
    MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    result = 0;
  }
  MPI_Finalize();
  return result;
}
