// SPDX-License-Identifier: MIT
#include "sim/tune/grouped_simulations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "sim/answer/quantities.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/replay_in_turn.hpp"
#include "sim/study/answer.hpp"
#include "sim/tune/candidates.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::tune {
namespace {

/// A platform file, and the factors of its links' bandwidths and latencies. A process loads it once.
using FileKey = std::tuple<std::string, double, double>;
/// Matrix, ranks, BLOCKSIZE.
using LayoutKey = std::tuple<std::size_t, int, std::int64_t>;

FileKey file_of(const study::ChangedPlatform& changed) {
  return {changed.platform.file.string(), changed.links.bandwidth, changed.links.latency};
}

LayoutKey layout_of_point(const study::StudyPoint& point) {
  return {point.position(study::Axis::problem), point.run.ranks, block_size_of(point.run)};
}

/// Variant, and ranks per node (0 if the policy does not look at nodes). In one layout, they determine the
/// schedule.
using ScheduleKey = std::pair<policy::Variant, int>;

ScheduleKey schedule_key_of(const Run& run) {
  return {policy::variant_of(run), policy::policy(run).looks_at_nodes() ? run.ranks_per_node : 0};
}

/// Simulates points of one layout. What several points need is made once.
class LayoutSimulations {
 public:
  explicit LayoutSimulations(const pattern::Pattern& pattern) : pattern_(pattern) {}

  study::Answer simulate(const Simulation& simulation, const platform::Platform& platform,
                         const graph::HopsOf& hops_of,
                         const std::function<replay::ReplayResult(const replay::ReplayJob&)>& replay) {
    const study::StudyPoint& point = *simulation.point;
    Schedule& schedule = schedule_of(point.run);
    schedule.run.iterations = simulation.iterations;
    schedule.run.ranks_per_node = point.run.ranks_per_node;
    const problem::Placement& placement = placement_of(point, schedule, hops_of);
    const Key key(point.platform, simulation.iterations, nodes_of_ranks(placement));
    const auto known = std::ranges::find(answers_, key, &std::pair<Key, study::Answer>::first);
    if (known != answers_.end()) return known->second;
    const answer::Answer found = answer::evaluate(
        {.job = {.schedule = &schedule, .platform = &platform, .placement = &placement}}, replay);
    study::Answer kept = study::simulated_answer(found);
    const double times =
        static_cast<double>(point.run.iterations) / static_cast<double>(simulation.iterations);
    *kept.total_s *= times;
    for (auto& [name, time_s] : kept.phases_s)
      time_s *= times;
    for (auto& [name, value] : kept.quantities)
      if (name == "energy_j" || name == "simulated_low_s" || name == "simulated_high_s") value *= times;
    kept.quantities.emplace_back("messages_per_rank", number_of(found, "messages_per_rank").value_or(0));
    return answers_.emplace_back(key, std::move(kept)).second;
  }

 private:
  /// Platform, iterations, and the node of each rank. Different placement rules may give the same nodes.
  using Key = std::tuple<std::size_t, std::int64_t, std::vector<int>>;

  static std::vector<int> nodes_of_ranks(const problem::Placement& placement) {
    std::vector<int> nodes;
    for (int rank = 0; rank < placement.ranks(); ++rank)
      nodes.push_back(placement.node(rank));
    return nodes;
  }

  Schedule& schedule_of(const Run& run) {
    const ScheduleKey key = schedule_key_of(run);
    if (schedule_ && schedule_key_ == key) return *schedule_;
    const int node_of_counts = key.second;
    if (policy::policy(run).needs_counts() &&
        (!counts_ || (node_of_counts > 0 && counts_of_ != node_of_counts))) {
      const problem::Placement placement(run.ranks, run.ranks_per_node);
      counts_ = std::move(pattern_.counts({&run, 1}, {&placement, 1}, 1).front());
      counts_of_ = run.ranks_per_node;
    }
    schedule_ = policy::make_schedule(pattern_, run, counts_ ? *counts_ : std::vector<pattern::RankCounts>());
    schedule_key_ = key;
    answers_.clear();
    return *schedule_;
  }

  /// The placement of a point. What the ranks exchange, and so a placement by communication, is the same for
  /// all variants of a policy.
  const problem::Placement& placement_of(const study::StudyPoint& point, const Schedule& schedule,
                                         const graph::HopsOf& hops_of) {
    const std::tuple key(point.placement, point.run.ranks_per_node, point.run.policy);
    const auto known = placements_.find(key);
    if (known != placements_.end()) return known->second;
    return placements_.emplace(key, placement_by(point.placement, schedule, hops_of)).first->second;
  }

  const pattern::Pattern& pattern_;
  std::optional<std::vector<pattern::RankCounts>> counts_;
  int counts_of_ = 0;  ///< ranks per node of these counts
  std::optional<Schedule> schedule_;
  ScheduleKey schedule_key_;
  std::vector<std::pair<Key, study::Answer>> answers_;  ///< this program's
  std::map<std::tuple<graph::PlacementRule, int, std::string>, problem::Placement> placements_;
};

/// Whether a simulation needs SimGrid's own clock, which a process can start only once.
bool needs_a_process(const platform::Platform& platform, const replay::ReplayOptions& options) {
  return options.one_flow_per_message || platform.changes_over_time;
}

/// Simulates points on platforms of one file, layout after layout.
class FileSimulations {
 public:
  FileSimulations(const study::ChangedPlatform& changed, const study::StudyInputs& inputs,
                  const replay::ReplayOptions& options)
      : inputs_(inputs), file_(changed.platform, changed.links), options_(options) {}

  study::Answer simulate(const Simulation& simulation) {
    const study::StudyPoint& point = *simulation.point;
    if (!layout_ || key_ != layout_of_point(point)) {
      layout_.emplace(*inputs_.problems[point.position(study::Axis::problem)]);
      key_ = layout_of_point(point);
    }
    platform::Platform platform = inputs_.platforms[point.platform].platform;
    platform.file = file_.platform().file;
    try {
      return layout_->simulate(simulation, platform, inputs_.platforms[point.platform].hops_of,
                               [&](const replay::ReplayJob& job) {
                                 if (needs_a_process(platform, options_)) return replay_here(job, options_);
                                 if (!in_turn_) in_turn_.emplace(platform);
                                 return in_turn_->replay(*job.schedule, platform, options_, *job.placement);
                               });
    } catch (const replay::TaskInterrupted&) {
      throw;
    } catch (const InputError& error) {
      return study::no_answer(error);
    }
  }

 private:
  const study::StudyInputs& inputs_;
  platform::ScaledPlatform file_;
  replay::ReplayOptions options_;
  std::optional<replay::ReplayInTurn> in_turn_;
  std::optional<LayoutSimulations> layout_;
  LayoutKey key_;
};

using Places = std::vector<std::size_t>;  ///< the places of simulations

/// The simulations of each process: whole layouts on one platform file, or a single one that needs a process
/// of its own.
std::vector<Places> tasks_of(const std::vector<Simulation>& simulations, const study::StudyInputs& inputs,
                             const SimulationSettings& settings) {
  std::map<FileKey, std::map<LayoutKey, Places>> files;
  std::vector<Places> tasks;
  for (std::size_t i = 0; i < simulations.size(); ++i) {
    const study::StudyPoint& point = *simulations[i].point;
    const study::ChangedPlatform& changed = inputs.platforms[point.platform];
    if (needs_a_process(changed.platform, settings.replay))
      tasks.push_back({i});
    else
      files[file_of(changed)][layout_of_point(point)].push_back(i);
  }
  for (auto& [file, layouts] : files) {
    const auto most = static_cast<std::size_t>(std::max(settings.processes, 1));
    std::vector<Places> of_file(std::min(most, layouts.size()));
    std::size_t next = 0;
    for (auto& [layout, places] : layouts) {
      std::ranges::stable_sort(
          places, {}, [&](std::size_t i) { return simulations[i].point->position(study::Axis::policy); });
      Places& task = of_file[next++ % of_file.size()];
      task.insert(task.end(), places.begin(), places.end());
    }
    std::ranges::move(of_file, std::back_inserter(tasks));
  }
  return tasks;
}

bool is_over(const SimulationSettings& settings) {
  return settings.deadline && std::chrono::steady_clock::now() >= *settings.deadline;
}

/// Runs each task in a process of its own. @returns the tasks that failed, and why
std::vector<std::pair<Places, study::Answer>> simulate_tasks(
    const std::vector<Places>& tasks, int processes, const std::vector<Simulation>& simulations,
    const study::StudyInputs& inputs, const SimulationSettings& settings,
    const std::function<void(std::size_t)>& finished, std::vector<std::optional<study::Answer>>& answers) {
  std::vector<std::pair<Places, study::Answer>> failed;
  std::size_t ended = 0;
  const auto one_more = [&] {
    if (finished) finished(++ended);
  };
  replay::forked<std::vector<study::Answer>>(
      tasks.size(), processes,
      [&](std::size_t task) {
        std::vector<study::Answer> found;
        const study::StudyPoint& first = *simulations[tasks[task].front()].point;
        FileSimulations file(inputs.platforms[first.platform], inputs, settings.replay);
        for (const std::size_t i : tasks[task]) {
          if (is_over(settings)) break;
          found.push_back(file.simulate(simulations[i]));
        }
        return found;
      },
      [&](std::size_t task, const std::vector<study::Answer>& found) {
        for (std::size_t i = 0; i < found.size(); ++i)
          answers[tasks[task][i]] = found[i];
        one_more();
      },
      [&](std::size_t task, const InputError& error) {
        failed.emplace_back(tasks[task], study::no_answer(error));
        one_more();
      },
      settings.replay.kept.get());
  return failed;
}

}  // namespace

std::vector<std::optional<study::Answer>> simulate_in_groups(
    const std::vector<Simulation>& simulations, const study::StudyInputs& inputs,
    const SimulationSettings& settings, const std::function<void(std::size_t)>& finished) {
  std::vector<std::optional<study::Answer>> answers(simulations.size());
  const auto simulate = [&](const std::vector<Places>& tasks, int processes, const auto& told) {
    return simulate_tasks(tasks, processes, simulations, inputs, settings, told, answers);
  };
  const auto failed = simulate(tasks_of(simulations, inputs, settings), settings.processes, finished);
  // Each is tried once more, alone, because then as much memory is free as possible.
  std::vector<Places> alone;
  for (const auto& [places, why] : failed)
    for (const std::size_t place : places)
      alone.push_back({place});
  for (const auto& [places, why] : simulate(alone, 1, std::function<void(std::size_t)>()))
    answers[places.front()] = why;
  return answers;
}

}  // namespace finegrain::tune
