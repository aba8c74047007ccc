// SPDX-License-Identifier: MIT
#include "sim/tune/more_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace finegrain::tune {
namespace {

constexpr double no_cost_yet = std::numeric_limits<double>::infinity();
/// How much slower than the best on fewer nodes the best on the most may be, relative, for a step further: a
/// few iterations say no better what all will take.
constexpr double most_loss = 0.05;
/// On k times as many nodes, a way to run takes at least 1/k of its time, less this share. Most take more.
constexpr double better_than_ideal = 0.2;
/// How much more than any other of its kind a way to run may gain by more nodes, relative.
constexpr double gains_more = 0.15;
constexpr std::size_t batch = 16;

/// The least time that was screened on at most, or on exactly so many nodes of a platform.
double best_s(const std::vector<Candidate>& candidates, std::size_t platform, std::int64_t least_nodes,
              std::int64_t most_nodes) {
  double best = no_cost_yet;
  for (const Candidate& candidate : candidates) {
    const std::int64_t nodes = nodes_of(candidate.point->run);
    if (candidate.point->platform == platform && nodes >= least_nodes && nodes <= most_nodes)
      best = std::min(best, candidate.cost(candidate.screened).value_or(no_cost_yet));
  }
  return best;
}

std::int64_t most_nodes(const std::vector<Candidate>& candidates, std::size_t platform) {
  std::int64_t most = 0;
  for (const Candidate& candidate : candidates)
    if (candidate.point->platform == platform) most = std::max(most, nodes_of(candidate.point->run));
  return most;
}

/// What a way to run keeps on more nodes, but for its BLOCKSIZE.
using Way = std::tuple<std::size_t, std::size_t, int, graph::PlacementRule>;

Way way_of(const study::StudyPoint& point) {
  return {point.position(study::Axis::problem), point.position(study::Axis::policy), point.run.ranks_per_node,
          point.placement};
}

/// The times on so many nodes of a platform.
class TimesOnFewer {
 public:
  TimesOnFewer(const std::vector<Candidate>& candidates, std::size_t platform, std::int64_t nodes) {
    for (const Candidate& candidate : candidates) {
      const std::optional<double> time_s = candidate.cost(candidate.screened);
      const study::StudyPoint& point = *candidate.point;
      if (!time_s || point.platform != platform || nodes_of(point.run) != nodes) continue;
      with_block_size_.emplace(std::tuple(way_of(point), point.position(study::Axis::settings)), *time_s);
      double& least = least_.try_emplace(way_of(point), *time_s).first->second;
      least = std::min(least, *time_s);
    }
  }

  /// The time of the same way to run; if its BLOCKSIZE was not simulated, of the best BLOCKSIZE.
  std::optional<double> of(const study::StudyPoint& point) const {
    const auto same = with_block_size_.find({way_of(point), point.position(study::Axis::settings)});
    if (same != with_block_size_.end()) return same->second;
    const auto other = least_.find(way_of(point));
    return other == least_.end() ? std::nullopt : std::optional(other->second);
  }

 private:
  std::map<std::tuple<Way, std::size_t>, double> with_block_size_;
  std::map<Way, double> least_;
};

/// Chooses among the candidates on one more number of nodes.
class Step {
 public:
  /// @param first  the first of them, which are the last candidates. @param times  how many times the nodes
  Step(std::vector<Candidate>& candidates, std::size_t first, const TimesOnFewer& fewer, double times)
      : candidates_(candidates), first_(first), ideal_((1 - better_than_ideal) / times) {
    for (std::size_t i = first; i < candidates.size(); ++i)
      before_s_.push_back(fewer.of(*candidates[i].point));
  }

  /// The best of each kind on fewer nodes.
  std::vector<Candidate*> first() {
    const double best = tune::least_s(candidates_, &Candidate::screened);
    std::map<std::tuple<Kind, Completion, int>, std::size_t> best_of_each;
    for (std::size_t i = 0; i < before_s_.size(); ++i) {
      if (!before_s_[i] || *before_s_[i] * ideal_ >= best) continue;
      const Run& run = candidates_[first_ + i].point->run;
      std::size_t& place =
          best_of_each.try_emplace({kind_of(run), run.completion, run.ranks_per_node}, i).first->second;
      if (*before_s_[i] < *before_s_[place]) place = i;
    }
    std::vector<Candidate*> chosen;
    for (const auto& [kind, i] : best_of_each)
      chosen.push_back(&candidates_[first_ + i]);
    return chosen;
  }

  Queue queue() {
    std::map<Kind, double> least_gain;  // time / time on fewer nodes
    for (std::size_t i = 0; i < before_s_.size(); ++i) {
      const Candidate& candidate = candidates_[first_ + i];
      const std::optional<double> time_s = candidate.cost(candidate.screened);
      if (!time_s || !before_s_[i]) continue;
      const double gain = *time_s / *before_s_[i];
      double& least = least_gain.try_emplace(kind_of(candidate.point->run), gain).first->second;
      least = std::min(least, gain);
    }
    const double best = tune::least_s(candidates_, &Candidate::screened);
    Queue queue;
    for (std::size_t i = 0; i < before_s_.size(); ++i) {
      Candidate& candidate = candidates_[first_ + i];
      if (!before_s_[i] || !is_open(candidate.screened)) continue;
      const auto known = least_gain.find(kind_of(candidate.point->run));
      const double gain =
          known == least_gain.end() ? ideal_ : std::max(ideal_, known->second * (1 - gains_more));
      if (*before_s_[i] * gain < best) queue.emplace_back(*before_s_[i] * gain, &candidate);
    }
    return queue;
  }

 private:
  using Kind = std::tuple<std::string, Transfer>;
  static Kind kind_of(const Run& run) { return {run.policy, run.transfer}; }

  std::vector<Candidate>& candidates_;
  std::size_t first_;
  double ideal_;
  std::vector<std::optional<double>> before_s_;  ///< shape [candidates from first_ on]
};

}  // namespace

bool try_more_nodes(std::vector<Candidate>& candidates, const MoreNodes& more, const Simulate& simulate) {
  for (std::size_t platform = 0; platform < more.hosts.size(); ++platform) {
    for (;;) {
      const std::int64_t most = most_nodes(candidates, platform);
      const double on_most_s = best_s(candidates, platform, most, most);
      if (most == 0 || most >= more.hosts[platform] || on_most_s == no_cost_yet ||
          on_most_s > best_s(candidates, platform, 1, most - 1) * (1 + most_loss))
        break;
      const double most_times = static_cast<double>(more.hosts[platform]) / static_cast<double>(most);
      const double least_of_all_s = tune::least_s(candidates, &Candidate::screened);
      if (on_most_s * (1 - better_than_ideal) / most_times > least_of_all_s) break;
      const std::int64_t next = std::min(2 * most, more.hosts[platform]);
      const std::size_t first = candidates.size();
      std::ranges::move(more.on_nodes(platform, next), std::back_inserter(candidates));
      const TimesOnFewer fewer(candidates, platform, most);
      const double times = static_cast<double>(next) / static_cast<double>(most);
      if (candidates.size() == first) break;
      if (simulate_rounds(Step(candidates, first, fewer, times), Depth::few, batch, simulate) > 0)
        return false;
    }
  }
  return true;
}

}  // namespace finegrain::tune
