// SPDX-License-Identifier: MIT
#include "traces/undisturbed_work.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain {

double interquartile_mean(std::vector<float> values) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::ptrdiff_t>(values.size() / 4);
  const std::span<const float> middle(values.begin() + cut, values.end() - cut);
  return std::accumulate(middle.begin(), middle.end(), 0.) / static_cast<double>(middle.size());
}

std::vector<float> UndisturbedWork::add_rank(std::span<const float> seconds, std::size_t iterations) {
  const std::size_t pieces = seconds.size() / iterations;
  std::vector<float> usual_s;
  std::vector<float> of_piece(iterations);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    for (std::size_t i = 0; i < iterations; ++i)
      of_piece[i] = seconds[i * pieces + piece];
    usual_s.push_back(static_cast<float>(interquartile_mean(of_piece)));
  }
  std::vector<float> work_s;
  for (std::size_t i = 0; i < iterations; ++i) {
    const std::span<const float> iteration = seconds.subspan(i * pieces, pieces);
    work_s.push_back(std::accumulate(iteration.begin(), iteration.end(), 0.F));
  }
  const auto usual = static_cast<float>(interquartile_mean(work_s));
  if (usual > 0) {
    for (float& of_iteration : work_s)
      of_iteration /= usual;
    times_usual_.push_back(std::move(work_s));
    usual_s_.push_back(usual);
  }
  return usual_s;
}

std::vector<float> UndisturbedWork::factors() const {
  std::vector<float> factors;
  if (times_usual_.empty()) return factors;
  std::vector<float> of_ranks(times_usual_.size());
  for (std::size_t i = 0; i < times_usual_.front().size(); ++i) {
    std::ranges::transform(times_usual_, of_ranks.begin(), [i](const auto& of_rank) { return of_rank[i]; });
    std::ranges::sort(of_ranks);
    factors.push_back(0.5F * (of_ranks[of_ranks.size() / 2] + of_ranks[(of_ranks.size() - 1) / 2]));
  }
  return factors;
}

double UndisturbedWork::factor() const {
  const std::vector<float> of_iterations = factors();
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < of_iterations.size(); ++i) {
    sum += weight(i) * of_iterations[i];
    all += weight(i);
  }
  return all > 0 ? sum / all : 1;
}

bool UndisturbedWork::moves() const {
  constexpr float heavy = 5;
  constexpr float least_more_s = 50e-6F;
  constexpr double one_in = 20;
  std::vector<float> of_median_rank = factors();
  double all = 0;
  for (std::size_t i = 0; i < of_median_rank.size(); ++i) {
    of_median_rank[i] = std::max(1.F, of_median_rank[i]);
    all += weight(i);
  }
  for (std::size_t rank = 0; rank < times_usual_.size(); ++rank) {
    double found = 0;
    for (std::size_t i = 0; i < of_median_rank.size(); ++i) {
      const float more = times_usual_[rank][i] - of_median_rank[i];
      if (times_usual_[rank][i] > heavy * of_median_rank[i] && more * usual_s_[rank] > least_more_s)
        found += weight(i);
    }
    if (found > std::max(1., all / one_in)) return true;
  }
  return false;
}

}  // namespace finegrain
