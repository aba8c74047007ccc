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

double UndisturbedWork::factor(std::size_t iteration) const {
  if (times_usual_.empty()) return 1;
  std::vector<float> of_ranks;
  for (const std::vector<float>& of_rank : times_usual_)
    of_ranks.push_back(of_rank[iteration]);
  std::ranges::sort(of_ranks);
  return 0.5 * static_cast<double>(of_ranks[of_ranks.size() / 2] + of_ranks[(of_ranks.size() - 1) / 2]);
}

double UndisturbedWork::factor() const {
  if (times_usual_.empty()) return 1;
  const std::size_t iterations = times_usual_.front().size();
  double sum = 0;
  for (std::size_t i = 0; i < iterations; ++i)
    sum += factor(i);
  return sum / static_cast<double>(iterations);
}

bool UndisturbedWork::moves() const {
  constexpr float heavy = 5;
  constexpr float least_more_s = 50e-6F;
  constexpr std::size_t one_in = 20;
  if (times_usual_.empty()) return false;
  const std::size_t iterations = times_usual_.front().size();
  const std::size_t most = std::max<std::size_t>(1, iterations / one_in);
  std::vector<float> of_median_rank;
  for (std::size_t i = 0; i < iterations; ++i)
    of_median_rank.push_back(std::max(1.F, static_cast<float>(factor(i))));
  for (std::size_t rank = 0; rank < times_usual_.size(); ++rank) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < iterations; ++i) {
      const float more = times_usual_[rank][i] - of_median_rank[i];
      if (times_usual_[rank][i] > heavy * of_median_rank[i] && more * usual_s_[rank] > least_more_s) ++found;
    }
    if (found > most) return true;
  }
  return false;
}

}  // namespace finegrain
