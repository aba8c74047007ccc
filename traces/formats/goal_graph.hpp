// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/formats/goal_schedule.hpp"

namespace finegrain::formats {

/// Which operations of a rank have begun and ended, and which these allow to begin.
class GoalGraph {
 public:
  explicit GoalGraph(const GoalRank& rank)
      : states_(rank.operations.size()), dependents_(rank.dependencies), needs_(rank.dependencies) {
    std::ranges::stable_sort(dependents_, {}, &GoalDependency::on);
    std::ranges::stable_sort(needs_, {}, &GoalDependency::operation);
    for (const GoalDependency& dependency : dependents_) {
      ++states_[dependency.operation].not_begun;
      if (dependency.on_its_end) ++states_[dependency.operation].not_ended;
    }
  }

  bool has_begun(std::uint32_t operation) const { return states_[operation].has_begun; }
  bool has_ended(std::uint32_t operation) const { return states_[operation].has_ended; }
  /// Whether all have begun on which it depends, and it has not.
  bool is_near(std::uint32_t operation) const {
    return !states_[operation].has_begun && states_[operation].not_begun == 0;
  }
  /// Whether all have ended whose end it requires.
  bool is_ready(std::uint32_t operation) const { return states_[operation].not_ended == 0; }
  bool may_begin(std::uint32_t operation) const { return is_near(operation) && is_ready(operation); }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(states_.size()); }

  /// Calls changed(operation) for each that depends on this one: it may be near, ready, or none of both.
  template <class Changed>
  void begin(std::uint32_t operation, Changed&& changed) {
    states_[operation].has_begun = true;
    for (const GoalDependency& dependency : dependents(operation)) {
      --states_[dependency.operation].not_begun;
      changed(dependency.operation);
    }
  }
  template <class Changed>
  void end(std::uint32_t operation, Changed&& changed) {
    states_[operation].has_ended = true;
    for (const GoalDependency& dependency : dependents(operation)) {
      if (!dependency.on_its_end) continue;
      --states_[dependency.operation].not_ended;
      changed(dependency.operation);
    }
  }

  std::span<const GoalDependency> dependents(std::uint32_t operation) const {
    return of(operation, dependents_, &GoalDependency::on);
  }
  std::span<const GoalDependency> needs(std::uint32_t operation) const {
    return of(operation, needs_, &GoalDependency::operation);
  }

 private:
  struct State {
    std::int32_t not_begun = 0;  ///< how many of those that it depends on
    std::int32_t not_ended = 0;  ///< how many of those that have to
    bool has_begun = false;
    bool has_ended = false;
  };

  /// @param sorted  by `by`
  static std::span<const GoalDependency> of(std::uint32_t operation,
                                            const std::vector<GoalDependency>& sorted,
                                            std::uint32_t GoalDependency::*by) {
    return {std::ranges::lower_bound(sorted, operation, {}, by),
            std::ranges::upper_bound(sorted, operation, {}, by)};
  }

  std::vector<State> states_;
  std::vector<GoalDependency> dependents_;  ///< by what they depend on
  std::vector<GoalDependency> needs_;       ///< by what depends
};

}  // namespace finegrain::formats
