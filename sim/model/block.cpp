// SPDX-License-Identifier: MIT
#include "sim/model/block.hpp"

#include <utility>

#include "sim/model/nodes.hpp"

namespace finegrain {
namespace {

double block_bytes(std::int64_t blocks, std::int64_t values, const SpmvCase& spmv) {
  const std::int64_t elements =
      spmv.form == ClosedForm::as_printed ? blocks * spmv.problem.block_size : values;
  return static_cast<double>(elements) * sizeof_double;
}

}  // namespace

double block_local_s(const RankCounts& rank, const SpmvCase& spmv) {
  const auto [blocks, values] = spmv.transfer == Transfer::get
                                    ? std::pair(rank.blocks_local, rank.block_values_local)
                                    : std::pair(rank.blocks_out_local, rank.block_values_out_local);
  return memory_s(2 * block_bytes(blocks, values, spmv), spmv.hardware);
}

double block_remote_s(const RankCounts& rank, const SpmvCase& spmv) {
  const auto [blocks, values] = spmv.transfer == Transfer::get
                                    ? std::pair(rank.blocks_remote, rank.block_values_remote)
                                    : std::pair(rank.blocks_out_remote, rank.block_values_out_remote);
  return remote_messages_s(blocks, block_bytes(blocks, values, spmv), spmv.hardware);
}

Prediction predict_block(const SpmvCase& spmv) {
  Prediction result;
  for (const RankCounts& rank : spmv.counts) {
    result.ranks.push_back({.compute_s = compute_s(rank, spmv),
                            .local_s = block_local_s(rank, spmv),
                            .remote_s = block_remote_s(rank, spmv)});
  }
  result.nodes = parts_of_nodes(result.ranks, spmv.placement);
  for (NodePrediction& node : result.nodes)
    node.time_s = node.compute_s + node.local_s + node.remote_s;

  const NodePrediction& node = slowest(result.nodes);
  result.total_s = node.time_s;
  const double messages_s = node.local_s + node.remote_s;
  if (spmv.transfer == Transfer::get)
    result.phases = {{PhaseKind::get, messages_s}, {PhaseKind::compute, node.compute_s}};
  else
    result.phases = {{PhaseKind::compute, node.compute_s}, {PhaseKind::wait, messages_s}};
  return result;
}

}  // namespace finegrain
