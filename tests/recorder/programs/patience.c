// SPDX-License-Identifier: MIT
// Prints the nice value of each rank and that of the process that started it, and whether the MPI library
// gives up the core while it waits (of Open MPI only; 0 of others).
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int yields(void) {
  int provided, index, count, value = 0;
  MPI_T_cvar_handle handle;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS) {
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("nice %d, started by %d, yields %d\n", getpriority(PRIO_PROCESS, 0),
         getpriority(PRIO_PROCESS, (id_t)getppid()), yields());
  MPI_Finalize();
  return 0;
}
