/* SPDX-License-Identifier: MIT
 * Conjugate gradients with the 5-point Laplacian on N x N points in blocks: cg2d N ITERATIONS. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int nx, ny, up, dn, lf, rt;
static MPI_Comm cart;
static MPI_Datatype col;
#define A(a, i, j) a[(size_t)(i) * (ny + 2) + (j)]
static void exchange(double* u) {
  MPI_Request q[8];
  int m = 0;
  if (up >= 0) MPI_Irecv(&A(u, 0, 1), ny, MPI_DOUBLE, up, 0, cart, &q[m++]);
  if (dn >= 0) MPI_Irecv(&A(u, nx + 1, 1), ny, MPI_DOUBLE, dn, 1, cart, &q[m++]);
  if (lf >= 0) MPI_Irecv(&A(u, 1, 0), nx, MPI_DOUBLE, lf, 2, cart, &q[m++]);
  if (rt >= 0) MPI_Irecv(&A(u, 1, ny + 1), nx, MPI_DOUBLE, rt, 3, cart, &q[m++]);
  if (up >= 0) MPI_Isend(&A(u, 1, 1), ny, MPI_DOUBLE, up, 1, cart, &q[m++]);
  if (dn >= 0) MPI_Isend(&A(u, nx, 1), ny, MPI_DOUBLE, dn, 0, cart, &q[m++]);
  if (lf >= 0) MPI_Isend(&A(u, 1, 1), nx, MPI_DOUBLE, lf, 3, cart, &q[m++]);
  if (rt >= 0) MPI_Isend(&A(u, 1, ny), nx, MPI_DOUBLE, rt, 2, cart, &q[m++]);
  MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
}
int main(int c, char** v) {
  MPI_Init(&c, &v);
  int N = c > 1 ? atoi(v[1]) : 1024, its = c > 2 ? atoi(v[2]) : 50, size, rank, d[2] = {0, 0},
      per[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, d);
  cart = MPI_COMM_WORLD;
  MPI_Comm_rank(cart, &rank);
  nx = N / d[0];
  ny = N / d[1];
  {
    int i = rank / d[1], j = rank % d[1];
    up = i ? rank - d[1] : -2;
    dn = i < d[0] - 1 ? rank + d[1] : -2;
    lf = j ? rank - 1 : -2;
    rt = j < d[1] - 1 ? rank + 1 : -2;
  }
  MPI_Type_vector(nx, 1, ny + 2, MPI_DOUBLE, &col);
  MPI_Type_commit(&col);
  size_t t = (size_t)(nx + 2) * (ny + 2);
  double *x = calloc(t, 8), *r = calloc(t, 8), *p = calloc(t, 8), *q = calloc(t, 8), rr = 0, g;
  for (int i = 1; i <= nx; i++)
    for (int j = 1; j <= ny; j++)
      A(r, i, j) = A(p, i, j) = 1, rr += 1;
  MPI_Allreduce(&rr, &g, 1, MPI_DOUBLE, MPI_SUM, cart);
  rr = g;
  double t0 = MPI_Wtime();
  for (int k = 0; k < its; k++) {
    exchange(p);
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 1; i <= nx; i++)
      for (int j = 1; j <= ny; j++) {
        double w = 4 * A(p, i, j) - A(p, i - 1, j) - A(p, i + 1, j) - A(p, i, j - 1) - A(p, i, j + 1);
        A(q, i, j) = w;
        s += w * A(p, i, j);
      }
    MPI_Allreduce(&s, &g, 1, MPI_DOUBLE, MPI_SUM, cart);
    double a = rr / g;
    s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 1; i <= nx; i++)
      for (int j = 1; j <= ny; j++) {
        A(x, i, j) += a * A(p, i, j);
        double w = A(r, i, j) - a * A(q, i, j);
        A(r, i, j) = w;
        s += w * w;
      }
    MPI_Allreduce(&s, &g, 1, MPI_DOUBLE, MPI_SUM, cart);
    double b = g / rr;
    rr = g;
#pragma omp parallel for
    for (int i = 1; i <= nx; i++)
      for (int j = 1; j <= ny; j++)
        A(p, i, j) = A(r, i, j) + b * A(p, i, j);
  }
  t0 = MPI_Wtime() - t0;
  if (!rank)
    printf("N %d ranks %d (%dx%d): %d iterations %.4f s, residual %.3e\n", N, size, d[0], d[1], its, t0,
           sqrt(rr));
  MPI_Finalize();
  return 0;
}
