// SPDX-License-Identifier: MIT
// What MPI 4 has besides: persistent collectives, messages in parts, and large counts. With -DPLAIN the same
// by the functions that MPI had before.
#include <mpi.h>
#include <stddef.h>

enum { parts = 4, part = 25, elements = parts * part };

static double in[elements], out[elements], all[64 * 10];

static void message_in_parts(int left, int right) {
  MPI_Request requests[2];
#ifdef PLAIN
  for (int step = 0; step < 3; ++step) {
    MPI_Irecv(in, elements, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, elements, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
#else
  MPI_Precv_init(in, parts, part, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(out, parts, part, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int step = 0; step < 3; ++step) {
    int list[] = {0}, is_there = 0;
    MPI_Startall(2, requests);
    MPI_Pready(3, requests[1]);
    MPI_Pready_range(1, 2, requests[1]);
    MPI_Pready_list(1, list, requests[1]);
    while (!is_there)
      MPI_Parrived(requests[0], 2, &is_there);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

static void collectives(int rank) {
  MPI_Request requests[4];
  for (int step = 0; step < 3; ++step) {
#ifdef PLAIN
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(out, 10, MPI_DOUBLE, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallreduce(out, in, 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
#else
    if (step == 0) {
      MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
      MPI_Bcast_init(out, 10, MPI_DOUBLE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
      MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
      MPI_Allreduce_init_c(out, in, 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    }
    // In another order on each rank.
    for (int i = 0; i < 4; ++i)
      MPI_Start(&requests[(i + rank) % 4]);
#endif
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
#ifndef PLAIN
  for (int i = 0; i < 4; ++i)
    MPI_Request_free(&requests[i]);
#endif
}

static void large_counts(int left, int right) {
#ifdef PLAIN
  MPI_Sendrecv(out, 7, MPI_DOUBLE, right, 6, in, 7, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(out, 9, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
  MPI_Sendrecv_c(out, 7, MPI_DOUBLE, right, 6, in, 7, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast_c(out, 9, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#endif
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  message_in_parts(left, right);
  collectives(rank);
  large_counts(left, right);
  // No elements of no type, which has no size.
  MPI_Sendrecv(NULL, 0, MPI_DATATYPE_NULL, right, 7, NULL, 0, MPI_DATATYPE_NULL, left, 7, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
