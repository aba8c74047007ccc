// SPDX-License-Identifier: MIT
// Two ranks spawn a process and merge with it. On the merged communicator they send each other ten messages,
// five of them received from any source, and the new process sends one to each. On a window over it they put
// three times to each other, and once to the new process.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm parent, children, all, again;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
  } else {
    MPI_Intercomm_merge(parent, 1, &all);
  }
  MPI_Comm_dup(all, &again);
  int rank, value = 0;
  MPI_Comm_rank(all, &rank);
  for (int i = 0; i < 10 && rank < 2; ++i) {
    MPI_Comm comm = i % 2 == 0 ? all : again;
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 1, comm, &request);
    MPI_Recv(&value, 1, MPI_INT, i < 5 ? MPI_ANY_SOURCE : 1 - rank, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 2) {
    for (int to = 0; to < 2; ++to)
      MPI_Send(&rank, 1, MPI_INT, to, 2, all);
  } else {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, all, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  double* memory;
  const double number = 1;
  MPI_Win window;
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, all, &memory, &window);
  for (int synchronization = 0; synchronization < 2; ++synchronization) {
    MPI_Win_fence(0, window);
    if (rank < 2) MPI_Put(&number, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, window);
    if (rank < 2 && synchronization == 0) MPI_Put(&number, 1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  if (rank < 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
    MPI_Put(&number, 1, MPI_DOUBLE, 1 - rank, 0, 1, MPI_DOUBLE, window);
    MPI_Win_unlock(1 - rank, window);
  }
  MPI_Win_free(&window);
  MPI_Comm_free(&again);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &children : &parent);
  MPI_Finalize();
  return 0;
}
