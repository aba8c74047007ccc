// SPDX-License-Identifier: MIT
#include "traces/scaling/work_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace finegrain::scaling {

WorkTimes::WorkTimes(const ProgramTree& tree, const std::vector<Recording>& recordings)
    : largest_(recordings.front().rank_count()), compared_(static_cast<std::size_t>(tree.origins()), 1) {
  for (const Recording& recording : recordings)
    trends_.add(recording);
  std::vector<std::map<Key, Mean>> of_recordings(recordings.size());
  const auto for_each_call = [&](const auto& visit) {
    for (int n = 0; n < tree.size(); ++n) {
      const ProgramNode& node = tree.node(n);
      if (node.is_loop()) continue;
      const ProgramNode& loop = tree.node(node.parent);
      for (std::size_t step = 0; step < node.calls.size(); ++step) {
        if (node.calls[step] < 0) continue;
        const LoopStep& at = loop.steps[step];
        const RecordedRank& rank = tree.recorded(at.origin);
        const auto call = static_cast<std::size_t>(node.calls[step]);
        const std::int64_t steps =
            node.parent == 0 ? 1 : loop.count[static_cast<std::size_t>(at.parent_step)];
        visit(Key{n, between(rank, call).first}, at.origin, rank.calls[call].work_ns,
              StepOf{at.number, steps});
      }
    }
  };
  for (int n = 0; n < tree.size(); ++n)
    sites_.push_back(tree.node(n).site);
  for_each_call([&](const Key& key, int origin, double work_ns, const StepOf& step) {
    const int recording = tree.recording_of(origin);
    of_recordings[static_cast<std::size_t>(recording)][key].add(work_ns);
    if (recording != 0) return;
    means_[key].add(work_ns);
    by_step_[key][step.step].add(work_ns);
    steps_[key] = std::max(steps_[key], step.steps);
  });
  std::vector<double> expected(compared_.size(), 0);
  std::vector<double> own(compared_.size(), 0);
  for_each_call([&](const Key& key, int origin, double work_ns, const StepOf& /*step*/) {
    const auto at = static_cast<std::size_t>(origin);
    expected[at] += of_recordings[static_cast<std::size_t>(tree.recording_of(origin))][key].value();
    own[at] += work_ns;
  });
  for (std::size_t at = 0; at < compared_.size(); ++at)
    if (expected[at] > 0) compared_[at] = own[at] / expected[at];
}

double WorkTimes::work_ns(int node, int previous_site, const StepOf& step, int ranks) const {
  const Key key{node, previous_site};
  const auto mean = means_.find(key);
  const double grows = std::pow(static_cast<double>(ranks) / largest_,
                                trends_.exponent({previous_site, sites_[static_cast<std::size_t>(node)]}));
  if (mean == means_.end()) {
    // Another call comes before it than in the recordings: as after any other.
    const auto any = means_.lower_bound({node, -1});
    return any != means_.end() && any->first.first == node ? any->second.value() * grows : 0;
  }
  // Another number of steps: at the same share of all.
  const std::int64_t steps = steps_.at(key);
  if (steps == 1 || std::max(steps, step.steps) > most_steps || step.steps < 1)
    return mean->second.value() * grows;
  const auto& of_steps = by_step_.at(key);
  const std::int64_t at = step.steps == steps ? step.step : step.step * steps / step.steps;
  auto nearest = of_steps.lower_bound(at);
  if (nearest == of_steps.end()) nearest = std::prev(nearest);
  return nearest->second.value() * grows;
}

}  // namespace finegrain::scaling
