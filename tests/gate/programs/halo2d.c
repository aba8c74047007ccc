// SPDX-License-Identifier: MIT
// A grid in rows: edges go to both neighbours while the interior is computed.
#include "common.h"

//@ function
static void send_edges(double* u, int rows, int up, int down, MPI_Request* requests) {
  MPI_Isend(u + COLUMNS, COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
  //= blocking:up MPI_Send(u + COLUMNS, COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD), requests[2] = MPI_REQUEST_NULL;
  //= size:up MPI_Isend(u + COLUMNS, 2 * COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u + rows * COLUMNS, COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
  //= blocking:down MPI_Send(u + rows * COLUMNS, COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD), requests[3] = MPI_REQUEST_NULL;
  //= pieces:down for (int p = 0; p < 5; ++p) MPI_Send(u + rows * COLUMNS + p * 100, 100, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
  //+ pieces:down requests[3] = MPI_REQUEST_NULL;
}
//@ end

//@ function
static void post_receives(double* ghosts, int up, int down, MPI_Request* requests) {
  MPI_Irecv(ghosts, 2 * COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(ghosts + 2 * COLUMNS, 2 * COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
  //= pieces:down for (int p = 0; p < 4; ++p) MPI_Irecv(ghosts + 2 * COLUMNS + p * 100, 100, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[4 + p]);
  //+ pieces:down MPI_Irecv(ghosts + 2 * COLUMNS + 400, 100, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
}
//@ end

int main(int count, char** words) {
  int rank, ranks;
  double residual, all;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks, rows = 600;
  double *u = field(), *next = field(), *ghosts = field();
  MPI_Request requests[8] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                             MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int step = 0; step < 60; ++step) {
    post_receives(ghosts, up, down, requests);
    send_edges(u, rows, up, down, requests);
    //+ overlap:all MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    sweep(next, u, rows);
    //= imbalance:interior sweep(next, u, more(rows, rank == RANK));
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    //- overlap:all
    memcpy(u, ghosts, sizeof(double) * COLUMNS);
    residual = sum_of(next, 400000);
    //= imbalance:residual residual = sum_of(next, more(400000, rank == RANK));
    MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    //= size:residual double two[2] = {residual, 0}, sums[2]; MPI_Allreduce(two, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    //@ step
    double* swapped = u;
    u = next;
    next = swapped;
  }
  MPI_Finalize();
  return 0;
}
