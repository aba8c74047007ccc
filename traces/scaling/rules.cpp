// SPDX-License-Identifier: MIT
#include "traces/scaling/rules.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace finegrain::scaling {
namespace {

/// Adds what one more rule says that fits all samples: all of them have to agree.
void add(Answer& answer, std::optional<std::int64_t> value) {
  if (!value || answer.outcome == Outcome::rules_disagree) return;
  if (answer.outcome == Outcome::known && answer.value != *value) {
    answer.outcome = Outcome::rules_disagree;
    return;
  }
  answer = {Outcome::known, *value};
}

using PeerRule = std::function<std::int64_t(const ProcessGrid&, int)>;

/// All steps of -2 to 2 in one dimension, and of -1 to 1 in several.
std::vector<std::vector<int>> all_steps(std::size_t dimensions) {
  const int farthest = dimensions == 1 ? 2 : 1;
  std::vector<std::vector<int>> all{{}};
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& begun : all) {
      for (int step = -farthest; step <= farthest; ++step) {
        longer.push_back(begun);
        longer.back().push_back(step);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// @param first  the sample from which constants of the rules come
std::vector<PeerRule> peer_rules(const Sample& first) {
  std::vector<PeerRule> rules;
  for (const std::vector<int>& steps : all_steps(first.grid->sides().size()))
    rules.emplace_back([steps](const ProcessGrid& grid, int rank) { return grid.neighbour(rank, steps); });
  const std::int64_t peer = first.value;
  const std::int64_t from_end = first.grid->ranks() - peer;
  rules.emplace_back([peer](const ProcessGrid&, int) { return peer; });
  rules.emplace_back([from_end](const ProcessGrid& grid, int) { return grid.ranks() - from_end; });
  rules.emplace_back([](const ProcessGrid& grid, int rank) { return grid.ranks() - 1 - rank; });
  const auto bit = static_cast<std::uint64_t>(first.rank ^ peer);
  const auto ranks = static_cast<std::uint64_t>(first.grid->ranks());
  if (std::has_single_bit(bit)) {
    rules.emplace_back([bit](const ProcessGrid&, int rank) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(rank) ^ bit);
    });
    if (std::has_single_bit(ranks)) {
      const std::uint64_t part = ranks / bit;
      rules.emplace_back([part](const ProcessGrid& grid, int rank) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(rank) ^
                                         (static_cast<std::uint64_t>(grid.ranks()) / part));
      });
    }
  }
  return rules;
}

/// Products of the grid's sides, one for each set of dimensions.
std::vector<std::int64_t> measures_of(const ProcessGrid& grid) {
  std::vector<std::int64_t> measures{1};
  for (const int side : grid.sides()) {
    const std::size_t so_far = measures.size();
    for (std::size_t m = 0; m < so_far; ++m)
      measures.push_back(measures[m] * side);
  }
  return measures;
}

}  // namespace

Answer peer_at(std::span<const Sample> samples, const ProcessGrid& grid, int rank) {
  Answer answer;
  for (const PeerRule& rule : peer_rules(samples.front())) {
    if (!std::ranges::all_of(samples,
                             [&](const Sample& one) { return rule(*one.grid, one.rank) == one.value; }))
      continue;
    const std::int64_t peer = rule(grid, rank);
    if (peer >= 0 && peer < grid.ranks()) add(answer, peer);
  }
  return answer;
}

Answer size_at(std::span<const Sample> samples, const ProcessGrid& grid) {
  constexpr std::int64_t largest = std::int64_t{1} << 40;  // times the ranks, it fits 64 bits
  if (std::ranges::any_of(samples, [](const Sample& one) { return one.value > largest; })) return {};
  std::vector<std::vector<std::int64_t>> measures;
  for (const Sample& sample : samples)
    measures.push_back(measures_of(*sample.grid));
  const std::vector<std::int64_t> there = measures_of(grid);
  Answer answer;
  for (std::size_t m = 0; m < there.size(); ++m) {
    bool shrinks = true;
    bool grows = true;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      shrinks = shrinks && samples[s].value * measures[s][m] == samples[0].value * measures[0][m];
      grows = grows && samples[s].value * measures[0][m] == samples[0].value * measures[s][m];
    }
    const std::int64_t whole = samples[0].value * measures[0][m];
    if (shrinks && whole % there[m] == 0) add(answer, whole / there[m]);
    const std::int64_t grown = samples[0].value * there[m];
    if (grows && grown % measures[0][m] == 0) add(answer, grown / measures[0][m]);
  }
  return answer;
}

}  // namespace finegrain::scaling
