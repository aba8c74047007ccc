// SPDX-License-Identifier: MIT
#include "sim/replay/repeats/sampled_loop.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include "sim/replay/repeats/repeat.hpp"

namespace finegrain::replay {

void SampledLoop::began(std::size_t number, const RankReplay& so_far) {
  ranks_[number].before = so_far;
  if (number == 0) start_s_ = so_far.finish_s;
}

void SampledLoop::finished(std::size_t number, const RankReplay& so_far) {
  Rank& rank = ranks_[number];
  if (number == 0) ends_s_.push_back(so_far.finish_s);
  const auto weight = static_cast<double>(samples_[static_cast<std::size_t>(rank.finished++)].iterations);
  if (weight != 1) add(rank.left_out, weight - 1, difference(so_far, rank.before));
  rank.before = so_far;
}

RankReplay SampledLoop::completed(std::size_t number, RankReplay simulated) const {
  add(simulated, 1, ranks_[number].left_out);
  return simulated;
}

/// What samples differ from the mean of their kind by is summed over eight that follow one another, since
/// those depend on one another. One alone of its kind may differ by the kind's width.
double SampledLoop::standard_error_s() const {
  constexpr std::size_t in_a_row = 8;
  constexpr double width = 0.25;
  struct Kind {
    double sum_s = 0;
    double count = 0;
  };
  std::map<std::uint32_t, Kind> kinds;
  std::vector<double> took_s(ends_s_.size());
  std::adjacent_difference(ends_s_.begin(), ends_s_.end(), took_s.begin());
  if (!took_s.empty()) took_s.front() -= start_s_;
  for (std::size_t i = 0; i < took_s.size(); ++i) {
    Kind& kind = kinds[samples_[i].kind];
    kind.sum_s += took_s[i];
    ++kind.count;
  }
  double variance = 0;
  double row_s = 0;
  std::size_t in_row = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < took_s.size(); ++i) {
    const auto weight = static_cast<double>(samples_[i].iterations);
    const Kind& kind = kinds.at(samples_[i].kind);
    if (weight > 1)
      row_s += weight * (kind.count > 1 ? took_s[i] - kind.sum_s / kind.count : width * took_s[i]);
    if (++in_row < in_a_row && i + 1 < took_s.size()) continue;
    variance += row_s * row_s;
    ++rows;
    row_s = 0;
    in_row = 0;
  }
  return rows < 2 ? 0 : std::sqrt(variance * static_cast<double>(rows) / static_cast<double>(rows - 1));
}

}  // namespace finegrain::replay
