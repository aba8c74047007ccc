// SPDX-License-Identifier: MIT
#include "traces/scaling/rank_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace finegrain::scaling {
namespace {

std::vector<double> shares_of_sides(const ProcessGrid& grid, int rank) {
  std::vector<double> shares;
  const std::vector<int> place = grid.place_of(rank);
  for (std::size_t d = 0; d < place.size(); ++d)
    shares.push_back((place[d] + 0.5) / grid.sides()[d]);
  return shares;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

/// The factor of the nearest of the ranks at the same border, if there is one.
template <class AtBorder>
std::optional<double> factor_in(const AtBorder& recorded, const ProcessGrid& grid, int rank) {
  const auto same_border = recorded.find(grid.border_of(rank));
  if (same_border == recorded.end()) return std::nullopt;
  const std::vector<double> at = shares_of_sides(grid, rank);
  return std::ranges::min_element(same_border->second, {},
                                  [&](const auto& one) { return squared_distance(one.at, at); })
      ->factor;
}

/// 0 if one of the two does not vary, or they go apart.
double correlation(const std::vector<std::pair<double, double>>& pairs) {
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& pair : pairs) {
    mean_x += pair.first / static_cast<double>(pairs.size());
    mean_y += pair.second / static_cast<double>(pairs.size());
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const auto& pair : pairs) {
    xx += std::pow(pair.first - mean_x, 2);
    yy += std::pow(pair.second - mean_y, 2);
    xy += (pair.first - mean_x) * (pair.second - mean_y);
  }
  return xx > 0 && yy > 0 && xy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace

RankFactors::RankFactors(std::span<const RankWork> works) {
  std::map<int, std::vector<double>> of_ranks;
  for (const RankWork& work : works)
    of_ranks[work.grid->ranks()].push_back(work.work);
  std::map<int, double> medians;
  for (auto& of_recording : of_ranks) {
    const auto middle = of_recording.second.begin() + std::ssize(of_recording.second) / 2;
    std::ranges::nth_element(of_recording.second, middle);
    medians[of_recording.first] = *middle;
  }
  for (const RankWork& work : works) {
    const double median = medians.at(work.grid->ranks());
    recordings_[work.grid->ranks()][work.grid->border_of(work.rank)].push_back(
        {shares_of_sides(*work.grid, work.rank), median > 0 ? work.work / median : 1});
  }
  const int most = std::prev(recordings_.end())->first;
  std::vector<std::pair<double, double>> pairs;
  for (const RankWork& work : works) {
    if (work.grid->ranks() != most) continue;
    const double own = *factor_in(recordings_.at(most), *work.grid, work.rank);
    for (const auto& other : recordings_) {
      if (other.first == most) continue;
      const std::optional<double> there = factor_in(other.second, *work.grid, work.rank);
      if (there) pairs.emplace_back(own, *there);
    }
  }
  const double one = correlation(pairs);
  const auto recordings = static_cast<double>(recordings_.size());
  reliability_ = recordings * one / (1 + (recordings - 1) * one);
  double sum = 0;
  double count = 0;
  for (const RankWork& work : works) {
    if (work.grid->ranks() != most) continue;
    sum += drawn(*work.grid, work.rank);
    ++count;
  }
  mean_ = sum / count;
}

double RankFactors::drawn(const ProcessGrid& grid, int rank) const {
  double sum = 0;
  double count = 0;
  for (const auto& recorded : recordings_) {
    const std::optional<double> there = factor_in(recorded.second, grid, rank);
    if (!there) continue;
    sum += *there;
    ++count;
  }
  return count > 0 ? 1 + reliability_ * (sum / count - 1) : 1;
}

double RankFactors::factor(const ProcessGrid& grid, int rank) const {
  return drawn(grid, rank) / mean_;
}

}  // namespace finegrain::scaling
