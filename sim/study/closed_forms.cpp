// SPDX-License-Identifier: MIT
#include "sim/study/closed_forms.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/model/closed_form.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/schedule/counts.hpp"
#include "sim/schedule/policies.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

Answer closed_form_of(const Run& run, const std::vector<RankCounts>& counts, const PlatformCosts& costs,
                      const Placement& placement) {
  Answer answer;
  try {
    const std::optional<Prediction> prediction =
        predict(run, counts, costs, ClosedForm::as_published, &placement);
    if (!prediction) {
      answer.none_because = "there are no equations of this policy";
      return answer;
    }
    const auto iterations = static_cast<double>(run.iterations);
    answer.total_s = iterations * prediction->total_s;
    const std::vector<NumberedPhase> names = numbered(prediction->phases);
    for (std::size_t phase = 0; phase < names.size(); ++phase)
      answer.phases_s.emplace_back(names[phase].name(), iterations * prediction->phases[phase].time_s);
  } catch (const InputError& error) {  // the platform lacks a number that these nodes need
    answer = {.total_s = {}, .phases_s = {}, .none_because = error.what()};
  }
  return answer;
}

/// Of one matrix, who owns what is the same if the ranks and the BLOCKSIZE are.
using LayoutKey = std::pair<int, std::int64_t>;

/// Points that share their counts.
using Groups = std::map<LayoutKey, std::vector<const StudyPoint*>>;

LayoutKey key_of(const StudyPoint& point) {
  return {point.run.ranks, std::get<SpmvProblem>(point.run.problem).block_size};
}

/// Shape [matrices].
std::vector<Groups> groups_of(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs) {
  std::vector<Groups> of_matrix(inputs.matrices.size());
  if (of_matrix.empty()) return of_matrix;
  for (const StudyPoint* point : points)
    of_matrix[point->position(Axis::problem)][key_of(*point)].push_back(point);
  return of_matrix;
}

/// Points of a layout whose ranks are on the same nodes. What is communicated depends on the policy.
using PlaceKey = std::tuple<int, PlacementRule, Policy>;

PlaceKey place_of(const StudyPoint& point) {
  const bool looks_at_policy = point.placement == PlacementRule::communication;
  return {point.run.ranks_per_node, point.placement, looks_at_policy ? point.run.policy : Policy::condensed};
}

/// Bytes of counts, at most: every rank may read of every other.
std::int64_t count_bytes(const LayoutKey& key) {
  const std::int64_t ranks = key.first;
  return ranks * ranks * static_cast<std::int64_t>(sizeof(PeerCounts));
}

/// Of one matrix: passes over J, each of as many layouts as memory allows.
void count_groups(
    const Groups& groups, const MatrixFile& matrix,
    const std::function<void(const std::vector<const StudyPoint*>&, std::vector<RankCounts>)>& counted) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  for (auto group = groups.begin(); group != groups.end();) {
    std::vector<Layout> layouts;
    std::int64_t bytes = 0;
    auto of_counts = group;
    for (; group != groups.end() && (layouts.empty() || bytes + count_bytes(group->first) <= most_bytes);
         ++group) {
      bytes += count_bytes(group->first);
      layouts.push_back(layout_of(group->second.front()->run));
    }
    for (std::vector<RankCounts>& counts : count_accesses(matrix.view(), layouts))
      counted((of_counts++)->second, std::move(counts));
  }
}

}  // namespace

std::size_t layouts_to_count(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs) {
  std::size_t layouts = 0;
  for (const Groups& groups : groups_of(points, inputs))
    layouts += groups.size();
  return layouts;
}

void compute_closed_forms(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const StudyPoint*>& group,
                                                   const std::vector<Answer>& answers)>& finished) {
  const auto predict_group = [&](std::vector<const StudyPoint*> group, std::vector<RankCounts> counts) {
    std::ranges::stable_sort(group, {}, [](const StudyPoint* point) { return place_of(*point); });
    std::vector<Answer> answers;
    std::optional<Placement> placement;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Run& run = group[i]->run;
      if (i == 0 || place_of(*group[i - 1]) != place_of(*group[i])) {
        placement = placement_by(group[i]->placement, run.ranks, run.ranks_per_node, [&] {
          return counts.empty() ? rank_graph(heat_schedule(run)) : rank_graph(counts, run.policy);
        });
        place(counts, *placement);
      }
      answers.push_back(
          closed_form_of(run, counts, inputs.machines[group[i]->machine].platform.costs, *placement));
    }
    finished(group, answers);
  };
  if (inputs.matrices.empty()) {
    for (const StudyPoint* point : points)
      predict_group({point}, {});
    return;
  }
  const std::vector<Groups> of_matrix = groups_of(points, inputs);
  for (std::size_t matrix = 0; matrix < of_matrix.size(); ++matrix)
    count_groups(of_matrix[matrix], inputs.matrices[matrix], predict_group);
}

}  // namespace finegrain
