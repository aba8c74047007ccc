// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// A rank, and its place in the grid.
struct RankPlace {
  const ProcessGrid* grid;
  int rank;
  std::vector<int> place;
};

/// A step of a loop, among so many.
struct StepOf {
  std::int64_t step = 0;
  std::int64_t steps = 1;
};

/// Where in a program a number is: a rank, and the steps of the loops around it, the innermost first. Loops
/// whose steps are all equal are not among them.
struct Where {
  static constexpr int most_loops = 3;

  const RankPlace* at = nullptr;
  std::array<StepOf, most_loops> loops = {};
  int depth = 0;
  /// Dimensions in which the other rank of a message is elsewhere; bit d: dimension d.
  unsigned ways = 0;

  const ProcessGrid& grid() const { return *at->grid; }
  int ranks() const { return at->grid->ranks(); }
  int rank() const { return at->rank; }
  /// For a message to or from another rank.
  Where towards(std::int64_t other) const;
  /// In a loop that is now the innermost one.
  Where in(const StepOf& step) const;
};

/// A rank's number in a group of ranks, and how many these are: of all ranks, or of those that differ from it
/// in one dimension of the grid only.
struct InGroup {
  std::int64_t own;
  std::int64_t size;
};
inline constexpr int all_ranks = -1;  ///< for a dimension
InGroup in_group(const Where& where, int dimension);
/// The rank that has a number in the group; nothing if there is none.
std::optional<std::int64_t> rank_in_group(const Where& where, int dimension, std::int64_t number);
/// All ranks, and each dimension if there are several.
std::vector<int> groups_of(const Where& where);

/// A number that a recording has at a place.
struct Sample {
  const Where* where;
  std::int64_t value;
};

/// What a number is at a place; nothing if it would be none there, such as a rank beyond the last one.
using Value = std::function<std::optional<std::int64_t>(const Where&)>;

/// A rule is exact: one that misses a sample is not a rule.
struct Rule {
  Value value;
  std::string text;  ///< for people: "a constant", "1 / ranks"
  int tier = 0;      ///< the fitting rules of the lowest tier are taken: what programs do most
};

/// The value of a rule at a place where it was not recorded.
struct Answer {
  std::optional<std::int64_t> value;
  bool disagree = false;        ///< rules that fit all samples differ here
  const Rule* other = nullptr;  ///< one of a higher tier that fits all samples, too, and differs here
};

bool fits(const Value& value, std::span<const Sample> samples);
/// What the rules of the lowest tier say. @param may_be_silent  a rule that gives nothing here does not
/// disagree with the others
Answer answer(std::span<const Rule> rules, const Where& where, bool may_be_silent);

}  // namespace finegrain::scaling
