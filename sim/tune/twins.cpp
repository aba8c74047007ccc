// SPDX-License-Identifier: MIT
#include "sim/tune/twins.hpp"

#include <algorithm>

namespace finegrain::tune {
namespace {

/// How much less than seen the ratio between two settings may be in another layout.
constexpr double reserve = 0.9;

}  // namespace

Twins::Twins(const std::vector<Candidate>& candidates)
    : candidates_(candidates), group_of_(candidates.size()) {
  using Key = std::tuple<std::size_t, std::size_t, std::size_t, int, int, graph::PlacementRule, std::string,
                         Transfer, Completion>;
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const study::StudyPoint& point = *candidates[i].point;
    groups[{point.platform, point.position(study::Axis::problem), point.position(study::Axis::settings),
            point.run.ranks, point.run.ranks_per_node, point.placement, point.run.policy, point.run.transfer,
            point.run.completion}]
        .push_back(i);
  }
  for (auto& [key, group] : groups) {
    if (group.size() < 2) continue;
    for (const std::size_t i : group)
      group_of_[i] = groups_.size();
    groups_.push_back(std::move(group));
  }
}

Twins::Pair Twins::pair_of(std::size_t from, std::size_t to) const {
  const study::StudyPoint& point = *candidates_[from].point;
  return {point.platform,
          point.position(study::Axis::problem),
          point.run.policy,
          point.run.transfer,
          point.run.completion,
          point.position(study::Axis::policy),
          candidates_[to].point->position(study::Axis::policy)};
}

void Twins::learn() {
  for (const std::vector<std::size_t>& group : groups_) {
    for (const std::size_t from : group) {
      const std::optional<double> from_s = candidates_[from].cost(candidates_[from].screened);
      if (!from_s) continue;
      for (const std::size_t to : group) {
        const std::optional<double> to_s = candidates_[to].cost(candidates_[to].screened);
        if (to == from || !to_s) continue;
        const double ratio = *to_s / *from_s;
        double& least = least_ratio_.try_emplace(pair_of(from, to), ratio).first->second;
        least = std::min(least, ratio);
      }
    }
  }
}

std::optional<double> Twins::least_s(std::size_t candidate) const {
  std::optional<double> least;
  for (const std::size_t twin : of(candidate)) {
    const std::optional<double> twin_s = candidates_[twin].cost(candidates_[twin].screened);
    const auto ratio = least_ratio_.find(pair_of(twin, candidate));
    if (!twin_s || ratio == least_ratio_.end()) continue;
    least = std::max(least.value_or(0), *twin_s * ratio->second * reserve);
  }
  return least;
}

std::vector<std::size_t> Twins::of(std::size_t candidate) const {
  if (!group_of_[candidate]) return {};
  std::vector<std::size_t> others = groups_[*group_of_[candidate]];
  std::erase(others, candidate);
  return others;
}

}  // namespace finegrain::tune
