// SPDX-License-Identifier: MIT
#include "kernels/micro/teams.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace finegrain::micro {

std::vector<int> team_sizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 1; size < ranks; size = std::max(size + 1, size * 3 / 2))
    sizes.push_back(size);
  sizes.push_back(ranks);
  return sizes;
}

MPI_Comm team_of(const kernels::MpiSession& mpi, int size) {
  MPI_Comm team = MPI_COMM_NULL;
  MPI_Comm_split(mpi.comm(), mpi.rank() < size ? 0 : MPI_UNDEFINED, mpi.rank(), &team);
  return team;
}

void meet_asleep(const kernels::MpiSession& mpi) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(mpi.comm(), &request);
  for (int arrived = 0; arrived == 0; MPI_Test(&request, &arrived, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace finegrain::micro
