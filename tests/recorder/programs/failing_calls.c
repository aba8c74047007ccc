// SPDX-License-Identifier: MIT
// Calls that return an error, which the program survives: a message is too long for one of several receives,
// and arrays are missing or have a negative size.
#include <mpi.h>
#include <stdio.h>

static int failed(int result) {
  return result != MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int rank, failures = 0, index = 12345678, done = 7777777, indices[3];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[3];
  MPI_Status statuses[3];
  static char buffer[3][400];
  for (int way = 0; way < 3; ++way) {
    if (rank == 0) {
      for (int n = 0; n < 3; ++n)
        MPI_Send(buffer[n], n == 1 ? 400 : 100, MPI_CHAR, 1, n, MPI_COMM_WORLD);
    } else if (rank == 1) {
      // The last one's source is not known before.
      for (int n = 0; n < 3; ++n)
        MPI_Irecv(buffer[n], 200, MPI_CHAR, n == 2 ? MPI_ANY_SOURCE : 0, n, MPI_COMM_WORLD, &requests[n]);
      if (way == 0) failures += failed(MPI_Waitall(3, requests, statuses));
      if (way == 1) {
        for (int n = 0; n < 3; ++n)
          failures += failed(MPI_Wait(&requests[n], MPI_STATUS_IGNORE));
      }
      if (way == 2) {
        for (int n = 0; n < 3; ++n)
          failures += failed(MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE));
      }
      for (int n = 0; n < 3; ++n) {
        if (requests[n] != MPI_REQUEST_NULL) MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1 && failures != 3) printf("not all failed\n");
  // A message that a probe has taken is received after a receive of it has failed.
  MPI_Message message;
  MPI_Isend(buffer[0], 100, MPI_CHAR, 0, 5, MPI_COMM_SELF, requests);
  MPI_Mprobe(0, 5, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  if (!failed(MPI_Mrecv(buffer[1], -1, MPI_CHAR, &message, MPI_STATUS_IGNORE))) printf("did not fail\n");
  if (!failed(MPI_Imrecv(buffer[1], -1, MPI_CHAR, &message, &requests[1]))) printf("did not fail\n");
  MPI_Mrecv(buffer[1], 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  index = 12345678;
  MPI_Waitany(-1, requests, &index, statuses);
  MPI_Waitany(3, NULL, &index, statuses);
  MPI_Testany(-1, NULL, &index, &done, MPI_STATUS_IGNORE);
  MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE);
  done = 7777777;
  MPI_Waitsome(-1, NULL, &done, indices, MPI_STATUSES_IGNORE);
  MPI_Testsome(-1, NULL, &done, indices, MPI_STATUSES_IGNORE);
  MPI_Wait(NULL, MPI_STATUS_IGNORE);
  MPI_Test(NULL, &done, MPI_STATUS_IGNORE);
  MPI_Start(NULL);
  MPI_Cancel(NULL);
  MPI_Request_free(NULL);
  MPI_Recv(buffer[0], -5, MPI_CHAR, 0, 0, MPI_COMM_WORLD, statuses);
  MPI_Send(buffer[0], 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
