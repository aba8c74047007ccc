// SPDX-License-Identifier: MIT
// Workers ask rank 0 for tasks, which takes from any source, by nonblocking receives completed by Waitany and
// Testsome, and answers by the tag it got.
#include <mpi.h>

enum { tasks = 40, done_tag = 99 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    int given = 0, stopped = 0, results[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&results[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    while (stopped < ranks - 1) {
      int done = 0, indices[2];
      MPI_Status statuses[2];
      if (given % 2 == 0) {
        MPI_Waitany(2, requests, &indices[0], &statuses[0]);
        done = 1;
      } else {
        while (done == 0)
          MPI_Testsome(2, requests, &done, indices, statuses);
      }
      for (int i = 0; i < done; ++i) {
        const int worker = statuses[i].MPI_SOURCE;
        const int tag = given < tasks ? statuses[i].MPI_TAG : done_tag;
        if (tag == done_tag) ++stopped;
        MPI_Send(&given, 1, MPI_INT, worker, tag, MPI_COMM_WORLD);
        ++given;
        MPI_Irecv(&results[indices[i]], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[indices[i]]);
      }
    }
    for (int i = 0; i < 2; ++i) {
      MPI_Cancel(&requests[i]);
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
  } else {
    for (int result = rank;;) {
      MPI_Status status;
      MPI_Send(&result, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
      MPI_Recv(&result, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == done_tag) break;
    }
  }
  MPI_Finalize();
  return 0;
}
