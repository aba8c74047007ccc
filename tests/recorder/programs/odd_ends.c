// SPDX-License-Identifier: MIT
// odd_ends exit|abort|reads|files|null|freed|freed_receives|marks: leaves without MPI_Finalize, aborts, reads
// a number, writes a file, or has requests that have no operation, or that are freed and cancelled.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Pcontrol(3);
  for (int n = 0; n < 10; ++n)
    MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "exit") == 0) exit(0);
  if (strcmp(argv[1], "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(argv[1], "reads") == 0) {
    if (rank == 0 && scanf("%d", &value) != 1) MPI_Abort(MPI_COMM_WORLD, 8);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == ranks - 1) printf("%d\n", value);
  }
  if (strcmp(argv[1], "files") == 0) {
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, (ranks + rank) * 4, &rank, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  if (strcmp(argv[1], "null") == 0) {
    // In Open MPI these requests and those of eager sends share one handle.
    MPI_Request requests[3];
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request moved = requests[0];
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&moved, MPI_STATUS_IGNORE);
  }
  if (strcmp(argv[1], "marks") == 0) {
    for (int level = 0; level < 70000; ++level)
      MPI_Pcontrol(level);
  }
  if (strcmp(argv[1], "freed_receives") == 0) {
    // One is cancelled and then freed: a later receive takes the message. The other is seen to be complete.
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Request request, send;
    MPI_Irecv(&value, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);  // no message comes before its receive is cancelled
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 3, &value, 1, MPI_INT, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
    MPI_Issend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &send);
    for (int is_complete = 0; !is_complete;)
      MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  if (strcmp(argv[1], "freed") == 0) {
    MPI_Request requests[1];
    // Sends whose requests are freed, and a receive that is cancelled.
    for (int n = 0; n < 5; ++n) {
      MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Request_free(&requests[0]);
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % ranks, 55, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
