// SPDX-License-Identifier: MIT
// loads_library FILE: a thread calls MPI while another one loads a library (-DLIBRARY) that waits for it when
// it is constructed, and has the loader's lock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifdef LIBRARY
static __attribute__((constructor)) void waits(void) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#else
static void* sends(void* nothing) {
  const int value = 1;
  usleep(200000);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
  return nothing;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_t thread;
  pthread_create(&thread, NULL, sends, NULL);
  if (dlopen(argv[1], RTLD_NOW) == NULL) puts(dlerror());
  pthread_join(thread, NULL);
  puts("done");
  MPI_Finalize();
  return 0;
}
#endif
