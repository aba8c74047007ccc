// SPDX-License-Identifier: MIT
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {
namespace {

/// Distinct values exchanged with one other rank.
struct PeerValues {
  std::int32_t peer;
  std::int64_t values;
};

/// What one rank sends and receives, each in ascending order of peer.
struct Exchange {
  std::vector<PeerValues> out;
  std::vector<PeerValues> in;
  std::int64_t values_out = 0;
  std::int64_t values_in = 0;
};

std::vector<Exchange> exchanges(std::span<const RankCounts> counts) {
  std::vector<Exchange> ranks(counts.size());
  for (std::size_t receiver = 0; receiver < counts.size(); ++receiver) {
    for (const PeerCounts& need : counts[receiver].needs) {
      ranks[receiver].in.push_back({need.peer, need.values});
      ranks[receiver].values_in += need.values;
      Exchange& sender = ranks[static_cast<std::size_t>(need.peer)];
      sender.out.push_back({static_cast<std::int32_t>(receiver), need.values});
      sender.values_out += need.values;
    }
  }
  return ranks;
}

void add_messages(Iteration& iteration, MessageKind kind, const std::vector<PeerValues>& exchanged) {
  for (const auto& [peer, values] : exchanged)
    iteration.add({kind, peer, values * double_bytes});
}

/// The rank's multiplication, in one compute phase or two.
struct ComputeBytes {
  std::int64_t interior = 0;  ///< of rows that read no other rank's element, where they are computed first
  std::int64_t rest = 0;
};

ComputeBytes compute_bytes(const RankCounts& counts, int r_nz, Completion completion) {
  const std::int64_t interior_rows = completion == Completion::overlapped ? counts.interior_rows : 0;
  return {spmv_compute_bytes(interior_rows, r_nz), spmv_compute_bytes(counts.rows - interior_rows, r_nz)};
}

Iteration put_iteration(const RankCounts& counts, const Exchange& exchange, int r_nz, Completion completion) {
  const bool overlapped = completion == Completion::overlapped;
  const ComputeBytes compute = compute_bytes(counts, r_nz, completion);
  Iteration iteration;
  iteration.begin_phase(PhaseKind::pack, pack_bytes(exchange.values_out));
  iteration.begin_phase(PhaseKind::put);
  add_messages(iteration, MessageKind::put, exchange.out);
  if (overlapped) {
    iteration.begin_phase(PhaseKind::copy, copy_bytes(counts.rows));
    iteration.begin_phase(PhaseKind::compute, compute.interior);
  }
  if (completion != Completion::each) iteration.begin_phase(PhaseKind::wait);
  iteration.begin_phase(PhaseKind::barrier);
  if (!overlapped) iteration.begin_phase(PhaseKind::copy, copy_bytes(counts.rows));
  iteration.begin_phase(PhaseKind::unpack, unpack_bytes(exchange.values_in));
  iteration.begin_phase(PhaseKind::compute, compute.rest);
  iteration.begin_phase(PhaseKind::barrier);
  iteration.begin_phase(PhaseKind::barrier);
  return iteration;
}

Iteration send_iteration(const RankCounts& counts, const Exchange& exchange, int r_nz,
                         Completion completion) {
  const ComputeBytes compute = compute_bytes(counts, r_nz, completion);
  Iteration iteration;
  iteration.begin_phase(PhaseKind::receive);
  add_messages(iteration, MessageKind::receive, exchange.in);
  iteration.begin_phase(PhaseKind::pack, pack_bytes(exchange.values_out));
  iteration.begin_phase(PhaseKind::send);
  add_messages(iteration, MessageKind::send, exchange.out);
  iteration.begin_phase(PhaseKind::copy, copy_bytes(counts.rows));
  if (completion == Completion::overlapped) iteration.begin_phase(PhaseKind::compute, compute.interior);
  iteration.begin_phase(PhaseKind::wait);
  iteration.begin_phase(PhaseKind::unpack, unpack_bytes(exchange.values_in));
  iteration.begin_phase(PhaseKind::compute, compute.rest);
  return iteration;
}

template <class MakeIteration>
std::vector<Iteration> iterations_of_ranks(std::span<const RankCounts> counts,
                                           const MakeIteration& make_iteration) {
  const auto exchanged = exchanges(counts);
  std::vector<Iteration> ranks;
  ranks.reserve(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    ranks.push_back(make_iteration(counts[rank], exchanged[rank]));
  return ranks;
}

}  // namespace

std::vector<Iteration> condensed_put_iterations(std::span<const RankCounts> counts, int r_nz,
                                                Completion completion) {
  return iterations_of_ranks(counts, [&](const RankCounts& rank, const Exchange& exchange) {
    return put_iteration(rank, exchange, r_nz, completion);
  });
}

std::vector<Iteration> condensed_send_iterations(std::span<const RankCounts> counts, int r_nz,
                                                 Completion completion) {
  return iterations_of_ranks(counts, [&](const RankCounts& rank, const Exchange& exchange) {
    return send_iteration(rank, exchange, r_nz, completion);
  });
}

}  // namespace finegrain
