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

}  // namespace finegrain
