/* SPDX-License-Identifier: MIT
 * One reduction of a value and its place, whose size is that of no other type. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct {
    double value;
    int place;
  } own = {1, 2}, most;
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
