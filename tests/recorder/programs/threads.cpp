// SPDX-License-Identifier: MIT
// Four threads a rank exchange messages on their own tags, all at once, every third one found by a matched
// probe, whose handles MPI soon gives to other threads' messages; and then do collectives, each on its
// own communicator, so that those of a rank end in another order than those of another rank. In a broadcast,
// it depends on the MPI library which ranks wait for which.
#include <mpi.h>

#include <thread>
#include <vector>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm communicators[4];
  for (MPI_Comm& communicator : communicators)
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([=, &communicators] {
      for (int n = 0; n < 50; ++n) {
        int in = 0;
        MPI_Request requests[2];
        if (n % 3 == 2) {
          MPI_Message message;
          MPI_Isend(&n, 1, MPI_INT, (rank + 1) % ranks, t, MPI_COMM_WORLD, &requests[1]);
          MPI_Mprobe(MPI_ANY_SOURCE, t, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
          if (n % 2 == 0) {
            MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
          } else {
            MPI_Imrecv(&in, 1, MPI_INT, &message, &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
          }
          MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
          continue;
        }
        MPI_Irecv(&in, 1, MPI_INT, n % 2 == 0 ? MPI_ANY_SOURCE : (rank + ranks - 1) % ranks, t,
                  MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&n, 1, MPI_INT, (rank + 1) % ranks, t, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
      for (int n = 0; n < 20; ++n) {
        int all = 0;
        MPI_Allreduce(&n, &all, 1, MPI_INT, MPI_SUM, communicators[t]);
        MPI_Barrier(communicators[t]);
      }
      for (int n = 0; n < 50; ++n) {
        int sent = n;
        MPI_Bcast(&sent, 1, MPI_INT, n % ranks, communicators[t]);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (MPI_Comm& communicator : communicators)
    MPI_Comm_free(&communicator);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
