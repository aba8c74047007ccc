// SPDX-License-Identifier: MIT
#include "sim/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/platform/cost_properties.hpp"
#include "sim/study/closed_forms.hpp"
#include "sim/study/simulations.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

using AnswerByPoint = std::map<const StudyPoint*, Answer>;

AnswerByPoint closed_forms(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs,
                           const std::function<void(std::size_t, std::size_t)>& progress) {
  AnswerByPoint answers;
  compute_closed_forms(points, inputs, [&](const auto& group, const std::vector<Answer>& of_group) {
    for (std::size_t i = 0; i < group.size(); ++i)
      answers.emplace(group[i], of_group[i]);
    progress(answers.size(), points.size());
  });
  return answers;
}

/// Where nobody said how many ranks a node holds, no more than fit on its cores: another platform may have
/// more.
bool fits(const StudyPoint& point, const TuneAnswer& answer, const TuneQuestion& question) {
  const std::int64_t cores = answer.inputs.machines[point.machine].cores_per_host;
  return !question.ranks_per_node.empty() ||
         point.run.ranks_per_node <= std::max<std::int64_t>(1, cores / question.threads_per_rank);
}

std::vector<Candidate> screen(const TuneQuestion& question, TuneAnswer& answer, const TuneEvents& events) {
  std::vector<const StudyPoint*> points;
  for (const StudyPoint& point : answer.points) {
    if (!is_screened(point, answer.study) || !fits(point, answer, question)) continue;
    if (point.infeasible.empty())
      points.push_back(&point);
    else
      ++answer.cannot_run;
  }
  if (points.empty())
    throw InputError(fmt::format("tune: nothing can run ({}). Give other --nodes or --ranks-per-node",
                                 answer.points.front().infeasible));
  answer.screened = points.size();
  const AnswerByPoint closed_form = closed_forms(points, answer.inputs, events.screening);
  std::vector<Candidate> screened;
  for (const StudyPoint* point : points)
    screened.push_back({point, closed_form.at(point), {}});
  return screened;
}

/// With communication-aware placement where that has the lower closed form. Finding it takes longer than all
/// other screening, so that it is tried for finalists only.
void place_by_communication(std::vector<Candidate>& candidates, const TuneAnswer& answer) {
  std::vector<const StudyPoint*> placed;
  for (const Candidate& candidate : candidates)
    placed.push_back(&sibling(answer.points, *candidate.point, answer.study, Axis::placement,
                              static_cast<std::size_t>(PlacementRule::communication)));
  const AnswerByPoint closed_form = closed_forms(placed, answer.inputs, [](std::size_t, std::size_t) {});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Answer& with = closed_form.at(placed[i]);
    if (with.total_s && *with.total_s < *candidates[i].closed_form.total_s)
      candidates[i] = {placed[i], with, {}};
  }
}

/// Adds a round of finalists to those simulated.
void simulate(std::vector<Candidate> round, TuneAnswer& answer, const TuneOptions& options,
              const TuneEvents& events) {
  if (round.empty()) return;
  place_by_communication(round, answer);
  std::vector<const StudyPoint*> points;
  for (const Candidate& candidate : round)
    points.push_back(candidate.point);
  std::size_t finished = 0;
  simulate_points(points, answer.inputs, options.processes, options.replay,
                  [&](const StudyPoint& point, const Answer& simulated) {
                    std::ranges::find(round, &point, &Candidate::point)->simulated = simulated;
                    events.simulating(++finished, points.size());
                  });
  answer.finalists.insert(answer.finalists.end(), round.begin(), round.end());
  rank(answer.finalists);
}

bool is_measured(const std::filesystem::path& platform, const std::string& name) {
  const auto properties = read_cost_properties(platform, {});
  return std::ranges::find(properties, name, &CostProperty::name)->measured;
}

/// The finalists' closed forms with every declared number changed: the points of the other sets.
std::vector<NumberChanged> change_numbers(const TuneAnswer& answer) {
  std::vector<const StudyPoint*> changed;
  for (const Candidate& finalist : answer.finalists)
    for (std::size_t set = 1; set < answer.study.changes.size(); ++set)
      changed.push_back(&sibling(answer.points, *finalist.point, answer.study, Axis::set, set));
  const AnswerByPoint closed_form = closed_forms(changed, answer.inputs, [](std::size_t, std::size_t) {});
  std::vector<NumberChanged> numbers;
  for (std::size_t platform = 0; platform < answer.study.platforms.size(); ++platform) {
    for (std::size_t set = 1; set < answer.study.changes.size(); ++set) {
      const auto& [name, factor] = *answer.study.changes[set].values.begin();
      if (is_measured(answer.study.platforms[platform], name)) continue;
      NumberChanged& number = numbers.emplace_back(NumberChanged{platform, name + " " + factor, {}});
      for (const Candidate& finalist : answer.finalists) {
        const StudyPoint& point = sibling(answer.points, *finalist.point, answer.study, Axis::set, set);
        const bool is_there = point.position(Axis::platform) == platform;
        number.ratio.push_back(is_there ? *closed_form.at(&point).total_s / *finalist.closed_form.total_s
                                        : 1.0);
      }
    }
  }
  return numbers;
}

}  // namespace

TuneAnswer tune(const TuneQuestion& question, const TuneOptions& options, const TuneEvents& events) {
  TuneAnswer answer;
  answer.study = candidates(question);
  answer.inputs = open_inputs(answer.study);
  answer.points = points_of(answer.study, answer.inputs);
  const std::vector<Candidate> screened = screen(question, answer, events);
  simulate(best_of_each_size(screened, options.finalists), answer, options, events);
  if (answer.finalists.empty())
    throw InputError(fmt::format("tune: no closed form ({}). Give the platform the number that it lacks",
                                 screened.front().closed_form.none_because));
  simulate(best_of_each_program(screened, answer.finalists, options.finalists - answer.finalists.size()),
           answer, options, events);
  simulate(best_of_each_block_size(screened, answer.finalists, options.finalists - answer.finalists.size()),
           answer, options, events);
  answer.numbers = change_numbers(answer);
  return answer;
}

}  // namespace finegrain
