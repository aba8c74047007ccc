// SPDX-License-Identifier: MIT
// Conjugate gradients: a product with a banded matrix, and two dot products a step.
#include "common.h"

#define ROWS 200000
#define BAND 1500

//@ function
static double dot(const double* a, int count) {
  double own = sum_of(a, count), all;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
//@ end

//@ function
static double dot_with_norm(const double* a, int count) {
  double own[2] = {sum_of(a, count), a[0]}, all[2];
  MPI_Allreduce(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  //= size:norm MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all[0];
}
//@ end

//@ function
static void multiply(double* y, const double* x, int rows) {
  for (int i = 0; i < rows; ++i) y[i] = 2 * x[i] - 0.5 * x[i + 1] - 0.5 * x[i + BAND];
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  double alpha = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  double *p = field(), *q = field(), *ghosts = field();
  MPI_Request requests[4];
  for (int step = 0; step < 80; ++step) {
    MPI_Irecv(ghosts, 2 * BAND, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(ghosts + 2 * BAND, 2 * BAND, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(p, BAND, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    //= size:left MPI_Isend(p, 2 * BAND, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(p + ROWS - 2 * BAND, BAND, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    //= blocking:right MPI_Send(p + ROWS - 2 * BAND, BAND, MPI_DOUBLE, right, 0, MPI_COMM_WORLD), requests[3] = MPI_REQUEST_NULL;
    //= size:right MPI_Isend(p + ROWS - 2 * BAND, 2 * BAND, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    //+ overlap:product MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    multiply(q, p, ROWS);
    //= imbalance:product multiply(q, p, more(ROWS, rank == RANK));
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    //- overlap:product
    alpha += dot(q, ROWS);
    //= imbalance:dot alpha += dot(q, more(ROWS, rank == RANK));
    multiply(p, q, ROWS / 2);
    alpha += dot_with_norm(p, ROWS);
    //@ step
  }
  MPI_Finalize();
  return alpha < -1;
}
