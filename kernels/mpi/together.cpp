// SPDX-License-Identifier: MIT
#include "kernels/mpi/together.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace finegrain {

void leave_if_any(const MpiSession& mpi, const std::optional<std::string>& problem) {
  const int mine = problem ? mpi.rank() : mpi.ranks();
  int lowest = mpi.ranks();
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, mpi.comm());
  if (lowest == mpi.ranks()) return;
  if (lowest == mpi.rank()) {
    fmt::print(stderr, "{}\n", *problem);
    std::fflush(stderr);
  }
  // mpirun ends the job when the first rank leaves with an error; the line must be out by then.
  MPI_Barrier(mpi.comm());
  throw ProgramExit{1};
}

}  // namespace finegrain
