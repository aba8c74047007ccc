// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// Where in a program a number is: a rank of a grid, and a step of the loop around it whose steps depend on
/// the number of ranks, if there is one.
struct Place {
  const ProcessGrid* grid;
  int rank;
  std::int64_t step = 0;
  std::int64_t steps = 1;
};

/// A number that a recording has at a place.
struct Sample {
  Place place;
  std::int64_t value;
};

/// What a number is at a place; nothing if it would be none there, such as a rank beyond the last one.
using Rule = std::function<std::optional<std::int64_t>(const Place&)>;

/// What a number is at other places. Rules are exact: one that misses a sample is not a rule.
enum class Outcome : std::uint8_t { known, no_rule, rules_disagree };
struct Answer {
  Outcome outcome = Outcome::no_rule;
  std::int64_t value = 0;
};

/// Each of these gives the rules that fit all samples.
/// @param samples  not empty, of grids of as many dimensions
///
/// Of the rank that another one names: a neighbour in the grid, a fixed rank from the first or the last, the
/// rank as far from the end as its own is from the beginning, or one that differs in one bit of its number.
/// With the steps of a loop, a neighbour is 2^step or step + 1 times as far away, a rank differs in the bits
/// of 2^step or of step + 1, or all ranks are named in turn; each also from the last step to the first.
std::vector<Rule> peer_rules(std::span<const Sample> samples);
/// Of a size: a constant, or one that grows or shrinks with the ranks, their square, or with sides of the
/// grid; by the factor of 2, 4 or 8 from step to step.
std::vector<Rule> size_rules(std::span<const Sample> samples);
/// Of the steps of a loop, and of requests: a constant, or linear in the ranks, in a side of the grid, or in
/// their logarithms to base 2.
std::vector<Rule> count_rules(std::span<const Sample> samples);
/// Of a tag: a constant, or one more or less in each step.
std::vector<Rule> tag_rules(std::span<const Sample> samples);

/// What all rules of a peer or a tag say that say something there.
Answer answer(std::span<const Rule> rules, const Place& place);
/// What all rules of a size or a count say. Those that say nothing there, because it would be no whole
/// number, disagree with those that do.
Answer answer_of_all(std::span<const Rule> rules, const Place& place);

}  // namespace finegrain::scaling
