// SPDX-License-Identifier: MIT
#include "sim/model/individual.hpp"

#include <algorithm>

#include "sim/model/nodes.hpp"

namespace finegrain {
namespace {

/// What eq. (16) takes the maximum of.
double rank_time_s(const RankPrediction& rank) {
  return rank.compute_s + rank.local_s + rank.remote_s;
}

}  // namespace

double local_access_s(const Hardware& hardware) {
  return memory_s(hardware.costs.cache_line_bytes, hardware);
}

double individual_local_s(const RankCounts& rank, const Hardware& hardware) {
  return static_cast<double>(rank.accesses_local) * local_access_s(hardware);
}

double individual_remote_s(const RankCounts& rank, const Hardware& hardware) {
  if (rank.accesses_remote == 0) return 0;
  return static_cast<double>(rank.accesses_remote) * hardware.costs.tau();
}

Prediction predict_individual(const SpmvCase& spmv) {
  Prediction result;
  for (const RankCounts& rank : spmv.counts) {
    result.ranks.push_back({.compute_s = compute_s(rank, spmv),
                            .local_s = individual_local_s(rank, spmv.hardware),
                            .remote_s = individual_remote_s(rank, spmv.hardware)});
  }
  for (int node = 0; node < spmv.placement.nodes(); ++node) {
    const int slowest_rank = std::ranges::max(spmv.placement.ranks_of(node), {}, [&](int rank) {
      return rank_time_s(result.ranks[static_cast<std::size_t>(rank)]);
    });
    const RankPrediction& rank = result.ranks[static_cast<std::size_t>(slowest_rank)];
    result.nodes.push_back({.compute_s = rank.compute_s,
                            .local_s = rank.local_s,
                            .remote_s = rank.remote_s,
                            .time_s = rank_time_s(rank)});
  }
  result.total_s = slowest(result.nodes).time_s;
  result.phases = {{PhaseKind::compute, result.total_s}};
  return result;
}

}  // namespace finegrain
