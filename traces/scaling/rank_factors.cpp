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

double all_work_ns(const Program& program) {
  double sum_ns = 0;
  for (const Part& part : program) {
    if (!part.is_loop()) sum_ns += part.call.work_ns;
    for (const Program& step : part.steps)
      sum_ns += all_work_ns(step) * (part.steps.size() == 1 ? static_cast<double>(part.step_count) : 1);
  }
  return sum_ns;
}

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

RankFactors::RankFactors(std::span<const Origin> origins) {
  std::map<int, std::vector<double>> works_ns;
  for (const Origin& origin : origins)
    works_ns[origin.place.grid->ranks()].push_back(all_work_ns(*origin.program));
  std::map<int, double> medians_ns;
  for (auto& of_ranks : works_ns) {
    const auto middle = of_ranks.second.begin() + std::ssize(of_ranks.second) / 2;
    std::ranges::nth_element(of_ranks.second, middle);
    medians_ns[of_ranks.first] = *middle;
  }
  for (const Origin& origin : origins) {
    const ProcessGrid& grid = *origin.place.grid;
    const double median_ns = medians_ns.at(grid.ranks());
    recordings_[grid.ranks()][grid.border_of(origin.place.rank)].push_back(
        {shares_of_sides(grid, origin.place.rank),
         median_ns > 0 ? all_work_ns(*origin.program) / median_ns : 1});
  }
  const int most = std::prev(recordings_.end())->first;
  std::vector<std::pair<double, double>> pairs;
  for (const Origin& origin : origins) {
    const ProcessGrid& grid = *origin.place.grid;
    if (grid.ranks() != most) continue;
    const double own = *factor_in(recordings_.at(most), grid, origin.place.rank);
    for (const auto& other : recordings_) {
      if (other.first == most) continue;
      const std::optional<double> there = factor_in(other.second, grid, origin.place.rank);
      if (there) pairs.emplace_back(own, *there);
    }
  }
  const double one = correlation(pairs);
  const auto recordings = static_cast<double>(recordings_.size());
  reliability_ = recordings * one / (1 + (recordings - 1) * one);
  double sum = 0;
  double count = 0;
  for (const Origin& origin : origins) {
    if (origin.place.grid->ranks() != most) continue;
    sum += drawn(*origin.place.grid, origin.place.rank);
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
