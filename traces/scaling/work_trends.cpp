// SPDX-License-Identifier: MIT
#include "traces/scaling/work_trends.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

namespace finegrain::scaling {
namespace {

constexpr double difference_of_kinds = 0.5;  ///< between two exponents; 0 and -1 are the most frequent ones
constexpr double middle_of_kinds = -0.5;     ///< the middle of these two
constexpr double least_ns = 2000;            ///< shorter work is mostly the recorder's own

/// The slope of a straight line through logarithms.
struct Slope {
  double value = 0;
  double variance = 0;  ///< squared standard error
  bool known = false;
};

/// By least squares. Its error comes from the times' scatter within each recording, and from what the
/// recordings are off the line: one of them can have been slower as a whole.
template <class Means>
Slope slope_of(const Means& means) {
  double count = 0;
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [ranks, mean] : means) {
    if (mean.value_ns <= 0) continue;
    mean_x += std::log(ranks);
    mean_y += std::log(mean.value_ns);
    ++count;
  }
  if (count < 2) return {};
  mean_x /= count;
  mean_y /= count;
  double xx = 0;
  double yy = 0;
  Slope slope{.known = true};
  for (const auto& [ranks, mean] : means) {
    if (mean.value_ns <= 0) continue;
    const double x = std::log(ranks) - mean_x;
    const double y = std::log(mean.value_ns) - mean_y;
    xx += x * x;
    yy += y * y;
    slope.value += x * y;
    slope.variance += x * x * mean.variance_of_log;
  }
  slope.value /= xx;
  slope.variance /= xx * xx;
  if (count > 2) slope.variance += std::max(0., yy - slope.value * slope.value * xx) / (count - 2) / xx;
  return slope;
}

/// What a rank's times usually are.
struct Usual {
  double value = 0;
  double variance = 0;  ///< squared standard error, unless there is one time only
};

Usual usual_ns(std::vector<float> times_ns) {
  if (times_ns.empty()) return {};
  // If times are normally distributed, 0.143 is the variance of the middle half, and 1.2 / n that of its
  // mean.
  constexpr double variance_of_mean = 1.2 / 0.143;
  constexpr std::size_t enough_for_a_middle = 8;
  const auto count = static_cast<double>(times_ns.size());
  const bool has_middle = times_ns.size() >= enough_for_a_middle;
  std::ranges::sort(times_ns);
  const std::size_t cut = has_middle ? times_ns.size() / 4 : 0;
  const std::span<const float> counted(times_ns.begin() + static_cast<std::ptrdiff_t>(cut),
                                       times_ns.end() - static_cast<std::ptrdiff_t>(cut));
  const auto counted_of = static_cast<double>(counted.size());
  Usual usual{std::accumulate(counted.begin(), counted.end(), 0.) / counted_of};
  double squares = 0;
  for (const float time_ns : counted)
    squares += std::pow(static_cast<double>(time_ns) - usual.value, 2);
  if (counted.size() > 1)
    usual.variance = squares / (counted_of - 1) / count * (has_middle ? variance_of_mean : 1);
  return usual;
}

/// The more uncertain a slope is, the nearer to what is expected of it.
double drawn(const Slope& slope, double expected) {
  const double spread = difference_of_kinds * difference_of_kinds;
  return expected + spread / (spread + slope.variance) * (slope.value - expected);
}

}  // namespace

Between between(const RecordedRank& rank, std::size_t call) {
  return {rank.calls[call == 0 ? 0 : call - 1].site, rank.calls[call].site};
}

WorkTrends::Mean WorkTrends::mean_of(const Times& times_ns) {
  double sum_ns = 0;
  double count = 0;
  for (const std::vector<float>& of_rank : times_ns) {
    sum_ns += usual_ns(of_rank).value * static_cast<double>(of_rank.size());
    count += static_cast<double>(of_rank.size());
  }
  if (sum_ns <= 0) return {};
  Mean mean{sum_ns / count, 0};
  double variance_of_sum_ns2 = 0;
  for (const std::vector<float>& of_rank : times_ns) {
    const auto calls = static_cast<double>(of_rank.size());
    // A lasting difference between ranks is no uncertainty; of a single call it cannot be told.
    variance_of_sum_ns2 += of_rank.size() == 1
                               ? std::pow(static_cast<double>(of_rank.front()) - mean.value_ns, 2)
                               : usual_ns(of_rank).variance * calls * calls;
  }
  mean.variance_of_log = variance_of_sum_ns2 / (sum_ns * sum_ns);
  return mean;
}

void WorkTrends::add(const Recording& recording) {
  std::map<Between, Times> of_kinds;
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
    const RecordedRank& own = recording.ranks[rank];
    for (std::size_t call = 0; call < own.calls.size(); ++call) {
      Times& times_ns = of_kinds[between(own, call)];
      times_ns.resize(recording.ranks.size());
      times_ns[rank].push_back(static_cast<float>(own.calls[call].work_ns));
    }
  }
  std::vector<double> totals_ns(recording.ranks.size(), 0);
  for (const auto& kind : of_kinds) {
    means_[kind.first][recording.rank_count()] = mean_of(kind.second);
    for (std::size_t rank = 0; rank < totals_ns.size(); ++rank)
      totals_ns[rank] += usual_ns(kind.second[rank]).value * static_cast<double>(kind.second[rank].size());
  }
  Times totals;
  for (const double total_ns : totals_ns)
    totals.push_back({static_cast<float>(total_ns)});
  totals_[recording.rank_count()] = mean_of(totals);
}

double WorkTrends::exponent(const Between& work) const {
  const auto found = means_.find(work);
  if (found == means_.end()) return 0;
  const Slope own = slope_of(found->second);
  const auto is_short = [](const auto& mean) { return mean.second.value_ns < least_ns; };
  if (!own.known || std::ranges::all_of(found->second, is_short)) return 0;
  return std::clamp(drawn(own, drawn(slope_of(totals_), middle_of_kinds)), -1.0, 1.0);
}

}  // namespace finegrain::scaling
