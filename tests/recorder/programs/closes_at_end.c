// SPDX-License-Identifier: MIT
// closes_at_end [fails]: writes a file, and closes it in a function that MPI_Finalize calls. On rank 0 that
// may fail.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_File file;
static int fails, rank, ranks;

static int closes(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_File_write_at_all(file, (ranks + rank) * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  return fails && rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char** argv) {
  fails = argc > 1 && strcmp(argv[1], "fails") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, closes, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
