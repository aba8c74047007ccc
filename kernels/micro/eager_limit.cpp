// SPDX-License-Identifier: MIT
#include "kernels/micro/eager_limit.hpp"

#include <algorithm>
#include <vector>

#include "kernels/run/clock.hpp"

namespace finegrain::micro {
namespace {

constexpr std::int64_t longest = 16 << 20;
constexpr std::int64_t late_ns = 3'000'000;  ///< far longer than an eager send takes
constexpr int enough = 2;                    ///< equal outcomes decide: a rank may lose its core once
constexpr int tag = 5;

/// Waits inside MPI, which may have to take part in a transfer, but without posting the receive.
void be_late(const kernels::MpiSession& mpi, int peer) {
  const std::int64_t start_ns = kernels::clock_ns();
  int found = 0;
  while (kernels::clock_ns() - start_ns < late_ns)
    MPI_Iprobe(peer, tag + 1, mpi.comm(), &found, MPI_STATUS_IGNORE);
}

/// Whether a message leaves before its receive is posted. Rank 0 finds out, and tells the other rank.
bool is_eager(const kernels::MpiSession& mpi, int peer, std::vector<unsigned char>& message,
              std::int64_t size_bytes) {
  const auto size = static_cast<int>(size_bytes);
  int early = 0;
  int late = 0;
  while (early < enough && late < enough) {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, tag, nullptr, 0, MPI_BYTE, peer, tag, mpi.comm(),
                 MPI_STATUS_IGNORE);
    int returned_early = 0;
    if (mpi.is_first()) {
      const std::int64_t start_ns = kernels::clock_ns();
      MPI_Send(message.data(), size, MPI_BYTE, peer, tag, mpi.comm());
      returned_early = kernels::clock_ns() - start_ns < late_ns / 2 ? 1 : 0;
      MPI_Send(&returned_early, 1, MPI_INT, peer, tag, mpi.comm());
    } else {
      be_late(mpi, peer);
      MPI_Recv(message.data(), size, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
      MPI_Recv(&returned_early, 1, MPI_INT, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    }
    ++(returned_early == 1 ? early : late);
  }
  return early == enough;
}

}  // namespace

std::optional<std::int64_t> eager_limit_bytes(const kernels::MpiSession& mpi, const RankPair& pair) {
  std::vector<unsigned char> message(static_cast<std::size_t>(longest));
  const int peer = pair.other(mpi);
  std::int64_t eager = 0;
  std::int64_t rendezvous = 1;
  while (is_eager(mpi, peer, message, rendezvous)) {
    eager = rendezvous;
    if (eager == longest) return std::nullopt;
    rendezvous = std::min(2 * rendezvous, longest);
  }
  while (rendezvous - eager > 1) {
    const std::int64_t between = eager + (rendezvous - eager) / 2;
    (is_eager(mpi, peer, message, between) ? eager : rendezvous) = between;
  }
  return eager;
}

TimedSends time_sends(const kernels::MpiSession& mpi, const RankPair& pair, std::int64_t size_bytes) {
  constexpr int warm_up = 2;
  constexpr int sends = 20;
  std::vector<unsigned char> message(static_cast<std::size_t>(size_bytes));
  const auto size = static_cast<int>(size_bytes);
  const int peer = pair.other(mpi);
  TimedSends timed;
  for (int send = -warm_up; send < sends; ++send) {
    if (!mpi.is_first()) {
      MPI_Recv(message.data(), size, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
      MPI_Send(nullptr, 0, MPI_BYTE, peer, tag, mpi.comm());
      continue;
    }
    const std::int64_t start_ns = kernels::clock_ns();
    MPI_Send(message.data(), size, MPI_BYTE, peer, tag, mpi.comm());
    const std::int64_t returned_ns = kernels::clock_ns();
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, tag, mpi.comm(), MPI_STATUS_IGNORE);
    const std::int64_t answered_ns = kernels::clock_ns();
    if (send < 0) continue;
    timed.returned_s.push_back(1e-9 * static_cast<double>(returned_ns - start_ns));
    timed.answered_s.push_back(1e-9 * static_cast<double>(answered_ns - start_ns));
  }
  return timed;
}

}  // namespace finegrain::micro
