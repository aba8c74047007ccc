// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace finegrain::scaling {
namespace {

Law power_law(double exponent, const char* text, double doubt) {
  return {[exponent](const ProcessGrid& grid) { return std::pow(grid.ranks(), exponent); }, text, doubt};
}

/// None, if the law gives nothing where something was recorded.
std::optional<double> spread_of(const Law& law, std::span<const Recorded> recorded) {
  double least = std::numeric_limits<double>::max();
  double most = -least;
  for (const Recorded& one : recorded) {
    if (one.value <= 0) continue;
    const double expected = law.value(*one.grid);
    if (expected <= 0) return std::nullopt;
    const double off = std::log(one.value / expected);
    least = std::min(least, off);
    most = std::max(most, off);
  }
  return most < least ? 0 : most - least;
}

/// By least squares; 0 if fewer than two are known.
double exponent_of(std::span<const Recorded> recorded) {
  double count = 0;
  double mean_x = 0;
  double mean_y = 0;
  for (const Recorded& one : recorded) {
    if (one.value <= 0) continue;
    ++count;
    mean_x += std::log(one.grid->ranks());
    mean_y += std::log(one.value);
  }
  if (count < 2) return 0;
  double xx = 0;
  double xy = 0;
  for (const Recorded& one : recorded) {
    if (one.value <= 0) continue;
    const double x = std::log(one.grid->ranks()) - mean_x / count;
    xx += x * x;
    xy += x * (std::log(one.value) - mean_y / count);
  }
  return xy / xx;
}

}  // namespace

double open_pairs(const ProcessGrid& grid, unsigned ways) {
  double pairs = 1;
  for (std::size_t d = 0; d < grid.sides().size(); ++d)
    pairs *= (ways >> d & 1U) != 0 ? 2. * (grid.sides()[d] - 1) : grid.sides()[d];
  return pairs;
}

double sides_across(const ProcessGrid& grid, unsigned ways) {
  double product = 1;
  for (std::size_t d = 0; d < grid.sides().size(); ++d)
    if ((ways >> d & 1U) == 0) product *= grid.sides()[d];
  return product;
}

double closed_neighbours(const ProcessGrid& grid, unsigned ways) {
  double neighbours = 1;
  for (std::size_t d = 0; d < grid.sides().size(); ++d)
    if ((ways >> d & 1U) != 0) neighbours *= std::min(grid.sides()[d] - 1, 2);
  return neighbours;
}

// A law that many programs obey has little doubt. What two recordings differ by chance, some percent, must
// not lead to a rare one.
std::vector<Law> laws_of_messages(int dimensions, unsigned ways, bool is_closed) {
  std::vector<Law> laws{power_law(1, "ranks", is_closed || ways == 0 ? 0 : 0.01)};
  if (ways != 0) {
    laws.push_back({[ways](const ProcessGrid& grid) { return open_pairs(grid, ways); }, "pairs of neighbours",
                    is_closed ? 0.05 : 0});
    laws.push_back({[ways](const ProcessGrid& grid) { return sides_across(grid, ways); },
                    "ranks of a face of the grid", 0.04});
    laws.push_back({[ways](const ProcessGrid& grid) { return grid.ranks() * closed_neighbours(grid, ways); },
                    "ranks, each with its neighbours in a closed grid", 0.02});
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions) && dimensions > 1; ++d)
    laws.push_back({[d](const ProcessGrid& grid) { return grid.ranks() * (grid.sides()[d] - 1.); },
                    "ranks (a side - 1)", 0.03});
  laws.push_back({[](const ProcessGrid& grid) { return grid.ranks() - 1.; }, "ranks - 1", 0.01});
  laws.push_back({[](const ProcessGrid& grid) { return grid.ranks() * (grid.ranks() - 1.); },
                  "ranks (ranks - 1)", 0.03});
  laws.push_back({[](const ProcessGrid& grid) { return grid.ranks() * std::log2(grid.ranks()); },
                  "ranks log2 ranks", 0.03});
  laws.push_back({[](const ProcessGrid& grid) { return std::log2(grid.ranks()); }, "log2 ranks", 0.05});
  laws.push_back(power_law(0, "a constant", 0.02));
  laws.push_back(power_law(2, "ranks^2", 0.03));
  laws.push_back(power_law(0.5, "ranks^(1/2)", 0.04));
  laws.push_back(power_law(1.5, "ranks^(3/2)", 0.04));
  laws.push_back(power_law(2. / 3, "ranks^(2/3)", 0.05));
  laws.push_back(power_law(4. / 3, "ranks^(4/3)", 0.05));
  return laws;
}

std::vector<Law> laws_of_sizes(unsigned ways) {
  std::vector<Law> laws{power_law(0, "a constant", 0)};
  if (ways != 0)
    laws.push_back({[ways](const ProcessGrid& grid) { return 1 / sides_across(grid, ways); },
                    "1 / ranks of a face of the grid", 0});
  // With the corners around it, a face shrinks more slowly.
  for (const double exponent : {0.75, 0.5})
    if (ways != 0)
      laws.push_back({[ways, exponent](const ProcessGrid& grid) {
                        return std::pow(sides_across(grid, ways), -exponent);
                      },
                      "a power of the ranks of a face of the grid", 0.03});
  laws.push_back(power_law(-1, "1 / ranks", 0.01));
  laws.push_back(power_law(-0.5, "ranks^(-1/2)", 0.03));
  laws.push_back(power_law(-2. / 3, "ranks^(-2/3)", 0.03));
  laws.push_back(power_law(-1. / 3, "ranks^(-1/3)", 0.04));
  laws.push_back(power_law(-2, "1 / ranks^2", 0.05));
  laws.push_back(power_law(1, "ranks", 0.03));
  laws.push_back(power_law(0.5, "ranks^(1/2)", 0.05));
  return laws;
}

std::vector<Law> laws_of_calls() {
  return {power_law(0, "a constant", 0),
          {[](const ProcessGrid& grid) { return std::log2(grid.ranks()); }, "log2 ranks", 0.02},
          power_law(1, "ranks", 0.03),
          power_law(0.5, "ranks^(1/2)", 0.04),
          power_law(1. / 3, "ranks^(1/3)", 0.04),
          power_law(-1, "1 / ranks", 0.04)};
}

FittedLaw fitted_law(std::span<const Law> laws, std::span<const Recorded> recorded, const ProcessGrid& base,
                     const ProcessGrid& wanted) {
  constexpr double doubt_of_power = 0.1;
  const double exponent = std::clamp(exponent_of(recorded), -2., 2.);
  std::vector<Law> all(laws.begin(), laws.end());
  all.push_back(power_law(exponent, "a power of the ranks", doubt_of_power));
  FittedLaw best;
  double least = std::numeric_limits<double>::max();
  for (const Law& law : all) {
    const std::optional<double> spread = spread_of(law, recorded);
    if (!spread || law.value(base) <= 0 || *spread + law.doubt >= least) continue;
    least = *spread + law.doubt;
    best = {law.text, *spread, law.value(wanted) / law.value(base)};
  }
  return best;
}

}  // namespace finegrain::scaling
