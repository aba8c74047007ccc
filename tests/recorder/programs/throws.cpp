// SPDX-License-Identifier: MIT
// Rank 0 leaves an MPI call by an exception that its error handler throws.
#include <mpi.h>

#include <iostream>
#include <stdexcept>

namespace {

void fail(MPI_Comm*, int*, ...) {
  throw std::runtime_error("thrown");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(fail, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  const int one = 1;
  try {
    if (rank == 0) MPI_Send(&one, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
  } catch (const std::runtime_error& error) {
    std::cout << error.what() << "\n";
  }
  try {
    int flag = 0;
    if (rank == 0) MPI_Probe(1000, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Iprobe(1000, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  } catch (const std::runtime_error& error) {
    std::cout << error.what() << "\n";
  }
  int sum = 0;
  for (int n = 0; n < 10; ++n)
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::cout << sum << "\n";
  MPI_Finalize();
  return 0;
}
