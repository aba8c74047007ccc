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

std::vector<PhasePrediction> phases_of(const NodePrediction& node, const RankPrediction& rank,
                                       const RankCounts& counts, const SpmvCase& spmv) {
  const bool overlapped = spmv.completion == Completion::overlapped;
  const bool copies_first = overlapped || spmv.transfer == Transfer::two_sided;
  const double interior_s = overlapped ? interior_compute_s(counts, spmv) : 0;
  const PhaseKind messages = spmv.completion == Completion::each ? PhaseKind::put : PhaseKind::wait;
  std::vector<PhasePrediction> phases{{PhaseKind::pack, node.pack_s}};
  if (copies_first) phases.push_back({PhaseKind::copy, rank.copy_s});
  if (overlapped) phases.push_back({PhaseKind::compute, interior_s});
  phases.push_back({messages, node.local_s + node.remote_s});
  if (!copies_first) phases.push_back({PhaseKind::copy, rank.copy_s});
  phases.push_back({PhaseKind::unpack, rank.unpack_s});
  phases.push_back({PhaseKind::compute, rank.compute_s - interior_s});
  return phases;
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
  const auto rank = std::ranges::max_element(result.ranks, {}, after_barrier_s);
  result.total_s = node.time_s + after_barrier_s(*rank);
  result.phases =
      phases_of(node, *rank, spmv.counts[static_cast<std::size_t>(rank - result.ranks.begin())], spmv);
  return result;
}

}  // namespace finegrain
