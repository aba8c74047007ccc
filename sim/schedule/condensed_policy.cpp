// SPDX-License-Identifier: MIT
#include "sim/schedule/counts.hpp"
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

std::vector<Exchange> exchanges(const std::vector<RankCounts>& counts) {
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

}  // namespace

std::vector<Iteration> condensed_put_iterations(const EllpackView& matrix, const Distribution& distribution,
                                                const Placement& placement) {
  const auto counts = count_accesses(matrix, distribution, placement);
  const auto exchanged = exchanges(counts);
  std::vector<Iteration> ranks(counts.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Iteration& iteration = ranks[rank];
    iteration.begin_phase(PhaseKind::pack, pack_bytes(exchanged[rank].values_out));
    iteration.begin_phase(PhaseKind::put);
    add_messages(iteration, MessageKind::put, exchanged[rank].out);
    iteration.begin_phase(PhaseKind::barrier);
    iteration.begin_phase(PhaseKind::copy, copy_bytes(counts[rank].rows));
    iteration.begin_phase(PhaseKind::unpack, unpack_bytes(exchanged[rank].values_in));
    iteration.begin_phase(PhaseKind::compute, spmv_compute_bytes(counts[rank].rows, matrix.r_nz));
    iteration.begin_phase(PhaseKind::barrier);
    iteration.begin_phase(PhaseKind::barrier);
  }
  return ranks;
}

std::vector<Iteration> condensed_send_iterations(const EllpackView& matrix, const Distribution& distribution,
                                                 const Placement& placement) {
  const auto counts = count_accesses(matrix, distribution, placement);
  const auto exchanged = exchanges(counts);
  std::vector<Iteration> ranks(counts.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Iteration& iteration = ranks[rank];
    iteration.begin_phase(PhaseKind::receive);
    add_messages(iteration, MessageKind::receive, exchanged[rank].in);
    iteration.begin_phase(PhaseKind::pack, pack_bytes(exchanged[rank].values_out));
    iteration.begin_phase(PhaseKind::send);
    add_messages(iteration, MessageKind::send, exchanged[rank].out);
    iteration.begin_phase(PhaseKind::copy, copy_bytes(counts[rank].rows));
    iteration.begin_phase(PhaseKind::wait);
    iteration.begin_phase(PhaseKind::unpack, unpack_bytes(exchanged[rank].values_in));
    iteration.begin_phase(PhaseKind::compute, spmv_compute_bytes(counts[rank].rows, matrix.r_nz));
  }
  return ranks;
}

}  // namespace finegrain
