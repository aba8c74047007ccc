// SPDX-License-Identifier: MIT
// Two threads of each rank make communicators of the same group at once, which only their tags tell apart.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static MPI_Group group;
static int rank;

/// Ranks 0 and 1 make the two communicators in different orders.
static void* make(void* tag_of_thread) {
  const int tag = *(const int*)tag_of_thread;
  for (int n = 0; n < 20; ++n) {
    MPI_Comm comm;
    int value = 0;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
    if (rank == tag) usleep(200);
    MPI_Barrier(comm);
    if (tag == 1) MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, tags[2] = {0, 1};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  pthread_t thread;
  pthread_create(&thread, NULL, make, &tags[1]);
  make(&tags[0]);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
