// SPDX-License-Identifier: MIT
#include "sim/model/condensed.hpp"

#include <algorithm>

#include "sim/model/nodes.hpp"

namespace finegrain {
namespace {

/// What the second half of eq. (18) takes the maximum of.
double after_barrier_s(const RankPrediction& rank) {
  return rank.copy_s + rank.unpack_s + rank.compute_s;
}

}  // namespace

double pack_s(const RankCounts& rank, const Hardware& hardware) {
  const auto values = static_cast<double>(rank.values_out_local + rank.values_out_remote);
  return memory_s(values * (2 * sizeof_double + sizeof_int), hardware);
}

double condensed_local_s(const RankCounts& rank, const Hardware& hardware) {
  return memory_s(2 * static_cast<double>(rank.values_out_local) * sizeof_double, hardware);
}

double condensed_remote_s(const RankCounts& rank, const Hardware& hardware) {
  return remote_messages_s(rank.messages_out_remote,
                           static_cast<double>(rank.values_out_remote) * sizeof_double, hardware);
}

double copy_s(const RankCounts& rank, const SpmvCase& spmv) {
  return memory_s(2 * owned_elements(rank, spmv) * sizeof_double, spmv.hardware);
}

double unpack_s(const RankCounts& rank, const Hardware& hardware) {
  const auto values = static_cast<double>(rank.values_in_local + rank.values_in_remote);
  return memory_s(values * (sizeof_double + sizeof_int + hardware.costs.cache_line_bytes), hardware);
}

Prediction predict_condensed(const SpmvCase& spmv) {
  Prediction result;
  for (const RankCounts& rank : spmv.counts) {
    result.ranks.push_back({.compute_s = compute_s(rank, spmv),
                            .pack_s = pack_s(rank, spmv.hardware),
                            .local_s = condensed_local_s(rank, spmv.hardware),
                            .remote_s = condensed_remote_s(rank, spmv.hardware),
                            .copy_s = copy_s(rank, spmv),
                            .unpack_s = unpack_s(rank, spmv.hardware)});
  }
  result.nodes = parts_of_nodes(result.ranks, spmv.placement);
  for (NodePrediction& node : result.nodes)
    node.time_s = node.pack_s + node.local_s + node.remote_s;

  const NodePrediction& node = slowest(result.nodes);
  const RankPrediction& rank = *std::ranges::max_element(result.ranks, {}, after_barrier_s);
  const PhasePrediction pack{PhaseKind::pack, node.pack_s};
  const PhasePrediction copy{PhaseKind::copy, rank.copy_s};
  const PhasePrediction unpack{PhaseKind::unpack, rank.unpack_s};
  const PhasePrediction compute{PhaseKind::compute, rank.compute_s};
  const double messages_s = node.local_s + node.remote_s;
  result.total_s = node.time_s + after_barrier_s(rank);
  if (spmv.sides == Sides::one_sided)
    result.phases = {pack, {PhaseKind::put, messages_s}, copy, unpack, compute};
  else
    result.phases = {pack, copy, {PhaseKind::wait, messages_s}, unpack, compute};
  return result;
}

}  // namespace finegrain
