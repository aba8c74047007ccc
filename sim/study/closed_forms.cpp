// SPDX-License-Identifier: MIT
#include "sim/study/closed_forms.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/pattern/counts.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

/// @param counts  the ranks' on their nodes; empty if the pattern has none
Answer closed_form(const StudyPoint& point, const std::vector<pattern::RankCounts>& counts,
                   const StudyInputs& inputs, const problem::Placement& placement) {
  const Schedule without_bodies{point.run, {}};
  try {  // the platform may lack a number that these nodes need, and a policy may not suit the pattern
    std::vector<pattern::RankCounts> own;
    if (policy::policy(point.run).has_own_counts() && !counts.empty()) {
      own = counts;
      policy::policy(point.run).add_counts(*inputs.problems[point.position(Axis::problem)], point.run, own);
    }
    return closed_form_answer(
        answer::evaluate_here({.job = {.schedule = &without_bodies,
                                       .platform = &inputs.platforms[point.platform].platform,
                                       .placement = &placement},
                               .simulation = false,
                               .closed_form = model::ClosedForm::as_published,
                               .counts = own.empty() ? counts : own},
                              {}));
  } catch (const InputError& error) {
    return {.total_s = {}, .phases_s = {}, .none_because = error.what()};
  }
}

/// Ranks, problem, and ranks per node (0 if the policy does not look at nodes). Points that agree in these
/// have the same owner of every element.
using LayoutKey = std::tuple<int, Problem, int>;

/// The points of each layout, which share their counts.
using Groups = std::map<LayoutKey, std::vector<const StudyPoint*>>;

LayoutKey key_of(const StudyPoint& point) {
  return {point.run.ranks, point.run.problem,
          policy::policy(point.run).looks_at_nodes() ? point.run.ranks_per_node : 0};
}

/// Shape [problems].
std::vector<Groups> groups_of(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs) {
  std::vector<Groups> of_problem(inputs.problems.size());
  for (const StudyPoint* point : points)
    of_problem[point->position(Axis::problem)][key_of(*point)].push_back(point);
  return of_problem;
}

/// Points of a layout that agree in this key have their ranks on the same nodes. The policy is part of it
/// because messages depend on it, and the platform's file because routes depend on it.
using PlaceKey = std::tuple<int, graph::PlacementRule, std::string, Settings, std::string, std::vector<int>,
                            std::vector<int>, bool>;

PlaceKey place_of(const StudyPoint& point, const StudyInputs& inputs) {
  const bool looks_at_policy = looks_at_messages(point.placement);
  return {point.run.ranks_per_node,
          point.placement,
          looks_at_policy ? point.run.policy : "",
          looks_at_policy ? point.run.policy_settings : Settings(),
          looks_at_routes(point.placement) ? inputs.platforms[point.platform].platform.file.string() : "",
          point.room.most_of_nodes,
          point.room.nodes_of_ranks,
          point.room.deals_to_all};
}

/// The most bytes that the counts of a layout take: every rank may read from every other.
std::int64_t count_bytes(const LayoutKey& key) {
  const std::int64_t ranks = std::get<0>(key);
  return ranks * ranks * static_cast<std::int64_t>(sizeof(pattern::PeerCounts));
}

/// Counts the layouts of one problem. Each pass over the problem counts as many layouts as memory allows.
void count_groups(const Groups& groups, const pattern::Pattern& pattern,
                  const std::function<void(const std::vector<const StudyPoint*>&,
                                           std::vector<pattern::RankCounts>)>& counted) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  for (auto group = groups.begin(); group != groups.end();) {
    std::vector<Run> runs;
    std::vector<problem::Placement> placements;
    std::int64_t bytes = 0;
    auto of_counts = group;
    for (; group != groups.end() && (runs.empty() || bytes + count_bytes(group->first) <= most_bytes);
         ++group) {
      bytes += count_bytes(group->first);
      const Run& run = runs.emplace_back(group->second.front()->run);
      placements.emplace_back(run.ranks, run.ranks_per_node);
    }
    for (std::vector<pattern::RankCounts>& counts : pattern.counts(runs, placements, pattern::all_cores()))
      counted((of_counts++)->second, std::move(counts));
  }
}

}  // namespace

std::size_t layouts_to_count(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs) {
  std::size_t layouts = 0;
  if (inputs.problems.empty()) return layouts;
  if (!points.empty() && !pattern::pattern_kind(points.front()->run).has_accesses()) return layouts;
  for (const Groups& groups : groups_of(points, inputs))
    layouts += groups.size();
  return layouts;
}

void compute_closed_forms(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const StudyPoint*>& group,
                                                   const std::vector<Answer>& answers)>& finished) {
  if (inputs.problems.empty()) {
    const char* const why = inputs.jobs.empty() ? "a recorded program has no equations"
                                                : "the equations are of one run alone, not of several jobs";
    finished(points,
             std::vector<Answer>(points.size(), {.total_s = {}, .phases_s = {}, .none_because = why}));
    return;
  }
  const auto predict_group = [&](std::vector<const StudyPoint*> group,
                                 std::vector<pattern::RankCounts> counts) {
    std::ranges::stable_sort(group, {}, [&](const StudyPoint* point) { return place_of(*point, inputs); });
    std::vector<Answer> answers;
    std::optional<problem::Placement> placement;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Run& run = group[i]->run;
      if (i == 0 || place_of(*group[i - 1], inputs) != place_of(*group[i], inputs)) {
        const auto graph_of_ranks = [&] {
          const pattern::Pattern& pattern = *inputs.problems[group[i]->position(Axis::problem)];
          return counts.empty() || policy::policy(run).has_own_counts()
                     ? graph::rank_graph(policy::make_schedule(pattern, run))
                     : graph::rank_graph(run, counts);
        };
        placement = placement_of(*group[i], graph_of_ranks, inputs.platforms[group[i]->platform].hops_of);
        place(counts, *placement);
      }
      answers.push_back(closed_form(*group[i], counts, inputs, *placement));
    }
    finished(group, answers);
  };
  const std::vector<Groups> of_problem = groups_of(points, inputs);
  for (std::size_t problem = 0; problem < of_problem.size(); ++problem)
    count_groups(of_problem[problem], *inputs.problems[problem], predict_group);
}

}  // namespace finegrain::study
