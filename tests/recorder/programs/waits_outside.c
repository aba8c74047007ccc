// SPDX-License-Identifier: MIT
// waits_outside how: a process that was spawned sends a message after a second, for which this one waits in
// one way or another.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int answer(MPI_Comm parent) {
  int x = 1;
  usleep(1000000);
  MPI_Send(&x, 1, MPI_INT, 0, 1, parent);
  MPI_Comm_disconnect(&parent);
  return MPI_Finalize();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, child;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return answer(parent);
  const char* how = argv[1];
  int x = 1, y = 2, done = 0, index = 0, count = 0;
  MPI_Status status;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Message message;
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
#define IS(name) (strcmp(how, name) == 0)
  if (IS("recv")) MPI_Recv(&x, 1, MPI_INT, 0, 1, child, &status);
  if (IS("recv_any")) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, child, &status);
  if (IS("sendrecv")) MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, &x, 1, MPI_INT, 0, 1, child, &status);
  if (IS("probe")) {
    MPI_Probe(0, 1, child, &status);
    MPI_Recv(&x, 1, MPI_INT, 0, 1, child, &status);
  }
  if (IS("mprobe")) {
    MPI_Mprobe(0, 1, child, &message, &status);
    MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
  }
  if (IS("iprobe")) {
    while (!done)
      MPI_Iprobe(0, 1, child, &done, &status);
    MPI_Recv(&x, 1, MPI_INT, 0, 1, child, &status);
  }
  if (IS("improbe")) {
    while (!done)
      MPI_Improbe(0, 1, child, &done, &message, &status);
    MPI_Mrecv(&x, 1, MPI_INT, &message, &status);
  }
  if (IS("persistent")) {
    MPI_Recv_init(&x, 1, MPI_INT, 0, 1, child, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Request_free(&requests[0]);
  }
  if (strncmp(how, "i", 1) != 0 || how[1] != '_') goto end;
  MPI_Irecv(&x, 1, MPI_INT, 0, 1, child, &requests[0]);
  // A message to itself, which is there at once.
  MPI_Irecv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  if (IS("i_wait")) MPI_Wait(&requests[0], &status);
  if (IS("i_test"))
    while (!done)
      MPI_Test(&requests[0], &done, &status);
  if (IS("i_status"))
    while (!done)
      MPI_Request_get_status(requests[0], &done, &status);
  if (IS("i_waitall")) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (IS("i_waitany")) MPI_Waitany(1, requests, &index, &status);
  if (IS("i_waitsome")) MPI_Waitsome(1, requests, &count, &index, &status);
  if (IS("i_testall"))
    while (!done)
      MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  if (IS("i_testany"))
    while (!done)
      MPI_Testany(1, requests, &index, &done, &status);
  if (IS("i_testsome"))
    while (count <= 0)
      MPI_Testsome(1, requests, &count, &index, &status);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
end:
  MPI_Comm_disconnect(&child);
  MPI_Finalize();
  return 0;
}
