// SPDX-License-Identifier: MIT
#include "kernels/mpi/clock_offsets.hpp"

#include <limits>

#include "kernels/run/clock.hpp"

namespace finegrain::kernels {
namespace {

constexpr int round_trips = 50;
constexpr int clock_tag = 1;

ClockOffset measure_from_first(MPI_Comm comm, int peer) {
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    std::int64_t peer_ns = 0;
    const std::int64_t start_ns = clock_ns();
    MPI_Send(nullptr, 0, MPI_INT64_T, peer, clock_tag, comm);
    MPI_Recv(&peer_ns, 1, MPI_INT64_T, peer, clock_tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t end_ns = clock_ns();
    if (end_ns - start_ns >= shortest_ns) continue;
    shortest_ns = end_ns - start_ns;
    best = {peer_ns, start_ns + shortest_ns / 2 - peer_ns};
  }
  return best;
}

void answer_first(MPI_Comm comm) {
  for (int i = 0; i < round_trips; ++i) {
    MPI_Recv(nullptr, 0, MPI_INT64_T, 0, clock_tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t now_ns = clock_ns();
    MPI_Send(&now_ns, 1, MPI_INT64_T, 0, clock_tag, comm);
  }
}

}  // namespace

std::vector<ClockOffset> measure_clock_offsets(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Barrier(comm);
  if (rank != 0) {
    answer_first(comm);
    return {};
  }
  std::vector<ClockOffset> offsets = {{clock_ns(), 0}};
  for (int peer = 1; peer < ranks; ++peer)
    offsets.push_back(measure_from_first(comm, peer));
  return offsets;
}

}  // namespace finegrain::kernels
