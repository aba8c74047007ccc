// SPDX-License-Identifier: MIT
// looks_up: calls MPI_Sendrecv 100 times by a pointer that it asks MPI's library itself for; other functions
// are found as ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef int Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Status*);

int main(int argc, char** argv) {
  Dl_info library;
  if (dladdr((void*)dlsym(RTLD_NEXT, "MPI_Type_get_envelope"), &library) == 0) return 1;
  void* handle = dlopen(library.dli_fname, RTLD_NOW | RTLD_GLOBAL);
  if (handle == NULL) return 2;
  Sendrecv* sendrecv = (Sendrecv*)dlsym(handle, "MPI_Sendrecv");
  Sendrecv* with_p = (Sendrecv*)dlsym(handle, "PMPI_Sendrecv");
  if (sendrecv == NULL || with_p == NULL || dlerror() != NULL) return 3;
  if (dlsym(handle, "MPI_Nonsense") != NULL || strstr(dlerror(), "MPI_Nonsense") == NULL) return 4;
  if (dlsym(RTLD_DEFAULT, "strlen") == NULL || dlsym(RTLD_NEXT, "main") == (void*)main) return 5;
  MPI_Init(&argc, &argv);
  int rank, ranks, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 100; ++i)
    (i % 2 == 0 ? sendrecv : with_p)(&rank, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT,
                                     (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d got %d\n", rank, got);
  MPI_Finalize();
  return 0;
}
