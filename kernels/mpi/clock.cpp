// SPDX-License-Identifier: MIT
#include "kernels/mpi/clock.hpp"

#include <chrono>
#include <limits>

namespace finegrain {
namespace {

constexpr int round_trips = 50;
constexpr int tag = 1;

ClockOffset measure_from_first(const MpiSession& mpi, int peer) {
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    std::int64_t peer_ns = 0;
    const std::int64_t start_ns = clock_ns();
    MPI_Send(nullptr, 0, MPI_INT64_T, peer, tag, mpi.comm());
    MPI_Recv(&peer_ns, 1, MPI_INT64_T, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    const std::int64_t end_ns = clock_ns();
    if (end_ns - start_ns >= shortest_ns) continue;
    shortest_ns = end_ns - start_ns;
    best = {peer_ns, start_ns + shortest_ns / 2 - peer_ns};
  }
  return best;
}

void answer_first(const MpiSession& mpi) {
  for (int i = 0; i < round_trips; ++i) {
    MPI_Recv(nullptr, 0, MPI_INT64_T, 0, tag, mpi.comm(), MPI_STATUS_IGNORE);
    const std::int64_t now_ns = clock_ns();
    MPI_Send(&now_ns, 1, MPI_INT64_T, 0, tag, mpi.comm());
  }
}

}  // namespace

std::int64_t clock_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::vector<ClockOffset> measure_clock_offsets(const MpiSession& mpi) {
  MPI_Barrier(mpi.comm());
  if (!mpi.is_first()) {
    answer_first(mpi);
    return {};
  }
  std::vector<ClockOffset> offsets = {{clock_ns(), 0}};
  for (int peer = 1; peer < mpi.ranks(); ++peer)
    offsets.push_back(measure_from_first(mpi, peer));
  return offsets;
}

}  // namespace finegrain
