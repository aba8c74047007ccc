// SPDX-License-Identifier: MIT
#include "sim/replay/folding/iteration_samples.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace finegrain::replay {
namespace {

/// Iterations up to so many times as heavy as usual, or as light, are of one kind: rows meet them often
/// enough.
constexpr double usual_factor = 2;
/// Those of one heavier kind differ by this factor at most.
constexpr double heavy_factor = 1.25;
constexpr int lightest = -6;

/// 0: usual; above: heavier; below: lighter.
int weight_class(double work_s, double usual_s) {
  const double times_usual = work_s / usual_s;
  if (times_usual > usual_factor)
    return 1 + static_cast<int>(std::log(times_usual / usual_factor) / std::log(heavy_factor));
  if (times_usual * usual_factor >= 1) return 0;
  if (work_s <= 0) return lightest;
  return std::max(lightest, -static_cast<int>(-std::log2(times_usual)));
}

/// The kind of each iteration: its class, or that of a heavy one just before it, for which ranks may wait in
/// it.
using Kind = std::pair<int, bool>;

std::vector<Kind> kinds_of(std::span<const double> slowest_s) {
  std::vector<double> positive;
  std::ranges::copy_if(slowest_s, std::back_inserter(positive), [](double work_s) { return work_s > 0; });
  if (positive.empty()) return std::vector<Kind>(slowest_s.size());
  const auto median = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
  std::ranges::nth_element(positive, median);
  std::vector<Kind> kinds;
  int before = 0;
  for (const double work_s : slowest_s) {
    const int own = weight_class(work_s, *median);
    const bool is_after = before > 0 && own <= 0;
    kinds.emplace_back(is_after ? before : own, is_after);
    before = own;
  }
  return kinds;
}

/// Rows that are spread over all iterations; all iterations, if there are not many more.
std::vector<std::size_t> rows_of_samples(std::size_t iterations, std::size_t wanted) {
  std::vector<std::size_t> samples;
  if (iterations <= 2 * std::max(wanted, samples_in_a_row)) {
    samples.resize(iterations);
    std::iota(samples.begin(), samples.end(), std::size_t{0});
    return samples;
  }
  const std::size_t rows = std::max<std::size_t>(2, wanted / samples_in_a_row);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * (iterations - samples_in_a_row) / (rows - 1);
    for (std::size_t i = 0; i < samples_in_a_row; ++i)
      samples.push_back(first + i);
  }
  return samples;
}

/// Adds iterations of each kind until there are so many of it, each with the one that follows it.
std::set<std::size_t> with_each_kind(std::span<const std::size_t> rows, std::span<const Kind> kinds,
                                     std::size_t of_each) {
  std::set<std::size_t> chosen(rows.begin(), rows.end());
  std::map<int, std::vector<std::size_t>> others;  // those of each class that no row has
  std::map<int, std::size_t> missing;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto [of_class, is_after] = kinds[i];
    if (is_after) continue;
    std::size_t& lacks = missing.try_emplace(of_class, of_each).first->second;
    if (!chosen.contains(i))
      others[of_class].push_back(i);
    else if (lacks > 0)
      --lacks;
  }
  for (const auto& [of_class, iterations] : others) {
    const std::size_t wanted = std::min(missing.at(of_class), iterations.size());
    for (std::size_t pick = 0; pick < wanted; ++pick) {
      const std::size_t iteration = iterations[(2 * pick + 1) * iterations.size() / (2 * wanted)];
      chosen.insert(iteration);
      if (iteration + 1 < kinds.size()) chosen.insert(iteration + 1);
    }
  }
  return chosen;
}

}  // namespace

IterationSamples choose_samples(std::span<const double> slowest_s, std::size_t wanted) {
  const std::vector<std::size_t> rows = rows_of_samples(slowest_s.size(), wanted);
  if (rows.size() == slowest_s.size()) return {rows, std::vector<StandsFor>(rows.size())};
  const std::vector<Kind> kinds = kinds_of(slowest_s);
  std::set<std::size_t> chosen;
  for (const std::size_t of_each : {4, 2, 1}) {
    chosen = with_each_kind(rows, kinds, of_each);
    if (chosen.size() <= 2 * wanted) break;
  }
  std::map<Kind, std::size_t> all;
  std::map<Kind, std::size_t> sampled;
  for (const Kind& kind : kinds)
    ++all[kind];
  for (const std::size_t iteration : chosen)
    ++sampled[kinds[iteration]];
  // Only a kind that follows a heavy iteration can have no sample: all others stand for it.
  std::size_t known = 0;
  std::map<Kind, std::uint32_t> numbers;
  for (const auto& [kind, count] : sampled) {
    known += all.at(kind);
    numbers.emplace(kind, static_cast<std::uint32_t>(numbers.size()));
  }
  const double more = static_cast<double>(kinds.size()) / static_cast<double>(known);
  IterationSamples samples;
  for (const std::size_t iteration : chosen) {
    const Kind& kind = kinds[iteration];
    const double share = static_cast<double>(all.at(kind)) / static_cast<double>(sampled.at(kind));
    samples.iterations.push_back(iteration);
    samples.stand_for.push_back({static_cast<float>(more * share), numbers.at(kind)});
  }
  return samples;
}

}  // namespace finegrain::replay
