// SPDX-License-Identifier: MIT
#include "traces/scaling/work_trends.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace finegrain::scaling {
namespace {

constexpr double difference_of_kinds = 0.5;  ///< between two exponents; 0 and -1 are the most frequent ones

/// The slope of a straight line through logarithms.
struct Slope {
  double value = 0;
  double variance = 0;  ///< squared standard error
  bool known = false;
};

/// By least squares.
template <class Means>
Slope slope_of(const Means& means) {
  double count = 0;
  double mean_x = 0;
  for (const auto& [ranks, mean] : means) {
    if (mean.value_ns <= 0) continue;
    mean_x += std::log(ranks);
    ++count;
  }
  if (count < 2) return {};
  mean_x /= count;
  double squares = 0;
  Slope slope{.known = true};
  for (const auto& [ranks, mean] : means) {
    if (mean.value_ns <= 0) continue;
    const double x = std::log(ranks) - mean_x;
    squares += x * x;
    slope.value += x * std::log(mean.value_ns);
    slope.variance += x * x * mean.variance_of_log;
  }
  slope.value /= squares;
  slope.variance /= squares * squares;
  return slope;
}

}  // namespace

Between between(const RecordedRank& rank, std::size_t call) {
  return {rank.calls[call == 0 ? 0 : call - 1].site, rank.calls[call].site};
}

void WorkTrends::OfRank::add(double work_ns) {
  sum_ns += work_ns;
  squares_ns2 += work_ns * work_ns;
  ++count;
}

WorkTrends::Mean WorkTrends::mean_of(std::span<const OfRank> ranks) {
  double sum_ns = 0;
  double count = 0;
  for (const OfRank& rank : ranks) {
    sum_ns += rank.sum_ns;
    count += rank.count;
  }
  if (sum_ns <= 0) return {};
  Mean mean{sum_ns / count, 0};
  double variance_of_sum_ns2 = 0;
  for (const OfRank& rank : ranks) {
    // A lasting difference between ranks is no uncertainty; of a single call it cannot be told.
    variance_of_sum_ns2 += rank.count > 1 ? (rank.squares_ns2 - rank.sum_ns * rank.sum_ns / rank.count) *
                                                rank.count / (rank.count - 1)
                                          : std::pow(rank.sum_ns - rank.count * mean.value_ns, 2);
  }
  mean.variance_of_log = std::max(0., variance_of_sum_ns2) / (sum_ns * sum_ns);
  return mean;
}

void WorkTrends::add(const Recording& recording) {
  std::map<Between, std::vector<OfRank>> of_kinds;
  std::vector<OfRank> totals(recording.ranks.size());
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
    const RecordedRank& own = recording.ranks[rank];
    double total_ns = 0;
    for (std::size_t call = 0; call < own.calls.size(); ++call) {
      std::vector<OfRank>& of_ranks = of_kinds[between(own, call)];
      of_ranks.resize(recording.ranks.size());
      of_ranks[rank].add(own.calls[call].work_ns);
      total_ns += own.calls[call].work_ns;
    }
    totals[rank].add(total_ns);
  }
  for (const auto& kind : of_kinds)
    means_[kind.first][recording.rank_count()] = mean_of(kind.second);
  totals_[recording.rank_count()] = mean_of(totals);
}

double WorkTrends::exponent(const Between& work) const {
  const auto found = means_.find(work);
  if (found == means_.end()) return 0;
  const Slope own = slope_of(found->second);
  if (!own.known) return 0;
  const Slope total = slope_of(totals_);
  const double expected = difference_of_kinds * difference_of_kinds;
  const double weight = expected / (expected + own.variance);
  return std::clamp(total.value + weight * (own.value - total.value), -1.0, 1.0);
}

}  // namespace finegrain::scaling
