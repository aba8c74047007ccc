// SPDX-License-Identifier: MIT
// Blocks of a grid of three dimensions: six faces are packed, exchanged and unpacked.
#include "common.h"

#define FACE 2500

//@ function
static void pack(double* faces, const double* u) {
  for (int f = 0; f < 6; ++f)
    for (int i = 0; i < FACE; ++i) faces[f * FACE + i] = u[(i * 131 + f * 977) % (MOST_ROWS * COLUMNS)];
}
//@ end

//@ function
static void begin(MPI_Comm grid, double* out, double* in, MPI_Request* requests) {
  for (int dimension = 0, f = 0; dimension < 3; ++dimension)
    for (int side = -1; side <= 1; side += 2, ++f) {
      int from, to;
      MPI_Cart_shift(grid, dimension, side, &from, &to);
      MPI_Irecv(in + 2 * f * FACE, 2 * FACE, MPI_DOUBLE, from, f, grid, &requests[f]);
      //= pieces:faces for (int p = 0; p < 2; ++p) MPI_Irecv(in + 2 * f * FACE + p * FACE / 2, FACE / 2, MPI_DOUBLE, from, f, grid, &requests[p == 0 ? f : 12 + f]);
      MPI_Isend(out + f * FACE, FACE, MPI_DOUBLE, to, f, grid, &requests[6 + f]);
      //= size:faces MPI_Isend(out + f * FACE, 2 * FACE, MPI_DOUBLE, to, f, grid, &requests[6 + f]);
      //= blocking:faces MPI_Send(out + f * FACE, FACE, MPI_DOUBLE, to, f, grid), requests[6 + f] = MPI_REQUEST_NULL;
      //= pieces:faces for (int p = 0; p < 2; ++p) MPI_Isend(out + f * FACE + p * FACE / 2, FACE / 2, MPI_DOUBLE, to, f, grid, &requests[p == 0 ? 6 + f : 18 + f]);
    }
}
//@ end

int main(int count, char** words) {
  int rank, dimensions[3] = {0, 0, 0}, ranks, periods[3] = {1, 1, 1};
  double dt, least;
  MPI_Comm grid;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dimensions, periods, 0, &grid);
  double *u = field(), *next = field(), *out = field(), *in = field();
  MPI_Request requests[24];
  for (int i = 0; i < 24; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int step = 0; step < 50; ++step) {
    pack(out, u);
    begin(grid, out, in, requests);
    //+ overlap:faces MPI_Waitall(24, requests, MPI_STATUSES_IGNORE);
    sweep(next, u, 800);
    //= imbalance:interior sweep(next, u, more(800, rank == RANK));
    MPI_Waitall(24, requests, MPI_STATUSES_IGNORE);
    //- overlap:faces
    sweep(u, next, 300);
    //= imbalance:boundary sweep(u, next, more(300, rank == RANK));
    dt = u[COLUMNS + step];
    MPI_Allreduce(&dt, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    //@ step
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
