// SPDX-License-Identifier: MIT
#include "kernels/mpi/clock_offsets.hpp"

#include <array>
#include <limits>

#include "kernels/run/clock.hpp"

namespace finegrain::kernels {
namespace {

constexpr int round_trips = 50;
constexpr int clock_tag = 1;

/// How far a rank's clock is from this one's.
ClockOffset measure(MPI_Comm comm, int peer) {
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

void answer(MPI_Comm comm, int asking) {
  for (int i = 0; i < round_trips; ++i) {
    MPI_Recv(nullptr, 0, MPI_INT64_T, asking, clock_tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t now_ns = clock_ns();
    MPI_Send(&now_ns, 1, MPI_INT64_T, asking, clock_tag, comm);
  }
}

/// How far this rank's clock is from rank 0's, in a binomial tree: after each round twice as many ranks know,
/// and errors add up over log2(ranks) measurements.
std::array<std::int64_t, 2> measure_in_tree(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::array<std::int64_t, 2> own{clock_ns(), 0};  // ClockOffset
  for (int known = 1; known < ranks; known *= 2) {
    if (rank < known && rank + known < ranks) {
      const ClockOffset of_peer = measure(comm, rank + known);
      const std::array<std::int64_t, 2> told{of_peer.at_ns, of_peer.offset_ns + own[1]};
      MPI_Send(told.data(), 2, MPI_INT64_T, rank + known, clock_tag, comm);
    } else if (rank >= known && rank < 2 * known) {
      answer(comm, rank - known);
      MPI_Recv(own.data(), 2, MPI_INT64_T, rank - known, clock_tag, comm, MPI_STATUS_IGNORE);
    }
  }
  return own;
}

}  // namespace

std::vector<ClockOffset> measure_clock_offsets(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int place_on_node = 0;
  MPI_Comm_rank(node, &place_on_node);
  MPI_Comm firsts;
  MPI_Comm_split(comm, place_on_node == 0 ? 0 : MPI_UNDEFINED, rank, &firsts);
  std::array<std::int64_t, 2> own{};
  if (firsts != MPI_COMM_NULL) {
    own = measure_in_tree(firsts);
    MPI_Comm_free(&firsts);
  }
  MPI_Bcast(own.data(), 2, MPI_INT64_T, 0, node);
  MPI_Comm_free(&node);
  std::vector<std::array<std::int64_t, 2>> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(own.data(), 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, 0, comm);
  MPI_Barrier(comm);  // so that the ranks begin together
  std::vector<ClockOffset> offsets;
  for (const auto& [at_ns, offset_ns] : all)
    offsets.push_back({at_ns, offset_ns});
  return offsets;
}

}  // namespace finegrain::kernels
