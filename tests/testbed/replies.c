// SPDX-License-Identifier: MIT
// replies BYTES: does a reply wait behind data? Rank 1 sends BYTES to nobody, to rank 0, or to rank 2.
// Meanwhile rank 0 sends it eight bytes and waits for an answer, or puts eight bytes there and waits until
// they have arrived. Needs three ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1;
  char* data = calloc((size_t)bytes, 1);
  char small[8] = {0}, *memory;
  MPI_Win window;
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  const char* to_whom[] = {"to nobody", "to the same rank", "to another rank"};
  for (int round = 0; round < 4; ++round) {  // connections are made in the first
    for (int target = -1; target <= 2; target += target < 0 ? 1 : 2) {
      for (int is_put = 0; is_put < 2; ++is_put) {
        MPI_Request transfer = MPI_REQUEST_NULL;
        if (rank == target) MPI_Irecv(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &transfer);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start_s = MPI_Wtime();
        if (rank == 1 && target >= 0) MPI_Isend(data, bytes, MPI_BYTE, target, 1, MPI_COMM_WORLD, &transfer);
        // Once the data is under way; the receiver takes part in that.
        int ignored;
        while (rank == 0 && MPI_Wtime() < start_s + 0.03)
          MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE);
        const double asked_s = MPI_Wtime();
        if (is_put && rank == 0) {
          MPI_Put(small, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window);
          MPI_Win_flush(1, window);
        } else if (!is_put && rank < 2) {
          if (rank == 0) MPI_Send(small, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
          MPI_Recv(small, 8, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          if (rank == 1) MPI_Send(small, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        }
        const double answered_s = MPI_Wtime();
        MPI_Wait(&transfer, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && round > 0)
          printf("%s while rank 1 sends %-17s %6.1f ms; all sent after %6.1f ms\n",
                 is_put ? "put     " : "answered", to_whom[(target + 2) / 2], 1000 * (answered_s - asked_s),
                 1000 * (MPI_Wtime() - asked_s));
      }
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(data);
  MPI_Finalize();
  return 0;
}
