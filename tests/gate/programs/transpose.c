// SPDX-License-Identifier: MIT
// A two-dimensional transform: lines, a transposition, lines, and back.
#include "common.h"

#define BLOCK 20000

//@ function
static void lines(double* to, const double* from, int rows) {
  sweep(to, from, rows);
}
//@ end

//@ function
static void transpose_back(double* in, double* out) {
  MPI_Alltoall(in, BLOCK / 2, MPI_DOUBLE, out, BLOCK / 2, MPI_DOUBLE, MPI_COMM_WORLD);
  //= size:back MPI_Alltoall(in, BLOCK, MPI_DOUBLE, out, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
}
//@ end

//@ function
static void transpose(double* in, double* out) {
  MPI_Alltoall(in, BLOCK, MPI_DOUBLE, out, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
  //= size:forward MPI_Alltoall(in, 2 * BLOCK, MPI_DOUBLE, out, 2 * BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
  //= pieces:forward for (int p = 0; p < 4; ++p) MPI_Alltoall(in + p * BLOCK, BLOCK / 4, MPI_DOUBLE, out + p * BLOCK, BLOCK / 4, MPI_DOUBLE, MPI_COMM_WORLD);
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  double energy, all = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *u = field(), *v = field();
  for (int step = 0; step < 50; ++step) {
    lines(v, u, 700);
    //= imbalance:first lines(v, u, more(700, rank == RANK));
    transpose(v, u);
    lines(v, u, 500);
    //= imbalance:second lines(v, u, more(500, rank == RANK));
    transpose_back(v, u);
    lines(v, u, 200);
    //@ step
  }
  energy = sum_of(u, 1000);
  MPI_Reduce(&energy, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return all < 0;
}
