// SPDX-License-Identifier: MIT
// A communicator is used in its attribute's delete function, while MPI frees it. Others get its handle then.
#include <mpi.h>
#include <stdio.h>

/// Sends to the next rank of a communicator, and receives from the one before.
static void turn(MPI_Comm comm, int tag) {
  int rank, ranks, received = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, tag, comm, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, tag, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (received != (rank + ranks - 1) % ranks) printf("wrong\n");
}

static int copies(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* is_copied) {
  (void)comm, (void)key, (void)extra;
  *(void**)copy = value;
  *is_copied = 1;
  return MPI_SUCCESS;
}

static int deletes(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  turn(comm, 3);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, key;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm first, second, others;
  MPI_Comm_create_keyval(copies, deletes, &key, NULL);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &first);
  MPI_Comm_set_attr(first, key, NULL);
  for (int n = 0; n < 4; ++n) {
    MPI_Comm_dup(first, &second);
    turn(second, 1);
    MPI_Comm_free(&second);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &others);
    if (others != MPI_COMM_NULL) {
      turn(others, 2);
      MPI_Comm_free(&others);
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &others);
    turn(others, 2);
    MPI_Comm_free(&others);
  }
  MPI_Comm_free(&first);
  MPI_Finalize();
  return 0;
}
