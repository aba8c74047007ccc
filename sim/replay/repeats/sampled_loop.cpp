// SPDX-License-Identifier: MIT
#include "sim/replay/repeats/sampled_loop.hpp"

#include <cmath>

#include "sim/replay/repeats/repeat.hpp"

namespace finegrain::replay {

void SampledLoop::began(std::size_t number, const RankReplay& so_far) {
  ranks_[number].start = so_far;
}

void SampledLoop::finished(std::size_t number, const RankReplay& so_far) {
  Rank& rank = ranks_[number];
  if (number == 0) ends_s_.push_back(so_far.finish_s);
  if (++rank.finished == samples_) rank.end = so_far;
}

RankReplay SampledLoop::completed(std::size_t number, RankReplay simulated) const {
  const Rank& rank = ranks_[number];
  const double left_out = static_cast<double>(iterations_ - samples_) / static_cast<double>(samples_);
  add(simulated, left_out, difference(rank.end, rank.start));
  return simulated;
}

/// Consecutive samples depend on one another: every eight of them count as one.
double SampledLoop::standard_error_s() const {
  constexpr std::size_t in_a_row = 8;
  if (samples_ == iterations_ || ends_s_.size() < 2 * in_a_row) return 0;
  std::vector<double> rows_s;
  double before_s = ranks_.front().start.finish_s;
  for (std::size_t end = in_a_row - 1; end < ends_s_.size(); end += in_a_row) {
    rows_s.push_back(ends_s_[end] - before_s);
    before_s = ends_s_[end];
  }
  const auto count = static_cast<double>(rows_s.size());
  double mean_s = 0;
  for (const double row_s : rows_s)
    mean_s += row_s / count;
  double variance = 0;
  for (const double row_s : rows_s)
    variance += (row_s - mean_s) * (row_s - mean_s) / (count - 1);
  return std::sqrt(variance / count) * static_cast<double>(iterations_) / in_a_row;
}

}  // namespace finegrain::replay
