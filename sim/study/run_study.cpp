// SPDX-License-Identifier: MIT
#include "sim/study/run_study.hpp"

#include "sim/study/closed_forms.hpp"
#include "sim/study/lock_file.hpp"
#include "sim/study/selection.hpp"
#include "sim/study/simulations.hpp"
#include "sim/study/study_row.hpp"

namespace finegrain::study {
namespace {

/// How many closed forms are stored together: each takes microseconds, a durable change milliseconds.
constexpr std::size_t at_once = 1000;

using ClosedForms = std::vector<std::optional<double>>;  ///< seconds, shape [points]

/// Computes the closed forms that the database lacks. A shard that simulates the best of all points also
/// needs the closed forms of other shards' points, which it does not store.
ClosedForms closed_forms(const StudyRun& run, const StudyInputs& inputs,
                         const std::vector<StudyPoint>& points, Database& database,
                         const StudyEvents& events) {
  ClosedForms closed_form_s(points.size());
  std::vector<bool> known(points.size());
  for (const PointState& state : database.states()) {
    closed_form_s[static_cast<std::size_t>(state.point)] = state.closed_form_s;
    known[static_cast<std::size_t>(state.point)] = state.has_closed_form;
  }
  const bool all = run.study.simulate.kind == SimulationChoice::Kind::best;
  std::vector<const StudyPoint*> missing;
  for (const StudyPoint& point : points) {
    if (known[static_cast<std::size_t>(point.number)] || !point.infeasible.empty()) continue;
    if (all || run.shard.holds(point.number)) missing.push_back(&point);
  }
  std::vector<std::int64_t> unstored;
  std::vector<Answer> unstored_answers;
  events.computing(missing.size(), layouts_to_count(missing, inputs));
  std::size_t finished = 0;
  compute_closed_forms(missing, inputs, [&](const auto& group, const std::vector<Answer>& answers) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      closed_form_s[static_cast<std::size_t>(group[i]->number)] = answers[i].total_s;
      if (!run.shard.holds(group[i]->number)) continue;
      unstored.push_back(group[i]->number);
      unstored_answers.push_back(answers[i]);
    }
    finished += group.size();
    if (finished == missing.size() || unstored.size() >= at_once) {
      database.store_closed_forms(unstored, unstored_answers, run.answered_by);
      unstored.clear();
      unstored_answers.clear();
    }
    events.closed_forms(finished, missing.size());
  });
  return closed_form_s;
}

/// @returns how many were interrupted
std::size_t simulate(const StudyRun& run, const StudyInputs& inputs, const std::vector<StudyPoint>& points,
                     const ClosedForms& closed_form_s, Database& database, const StudyEvents& events) {
  if (run.retry) database.forget_failures();
  std::vector<bool> known(points.size());
  for (const PointState& state : database.states())
    known[static_cast<std::size_t>(state.point)] = state.simulated;
  std::vector<const StudyPoint*> missing;
  std::size_t wanted = 0;
  for (const StudyPoint* point : points_to_simulate(run.study, points, closed_form_s)) {
    if (!run.shard.holds(point->number)) continue;
    ++wanted;
    if (!known[static_cast<std::size_t>(point->number)]) missing.push_back(point);
  }
  events.simulating(missing.size(), wanted - missing.size());
  const std::string by = run.answered_by + ", SimGrid " FINEGRAIN_SIMGRID_VERSION;
  std::size_t finished = 0;
  std::size_t interrupted = 0;
  replay::ReplayOptions options = run.replay;
  options.energy = run.study.energy;
  simulate_points(missing, inputs, run.processes, options,
                  [&](const StudyPoint& point, const Answer& answer) {
                    if (answer.interrupted)
                      ++interrupted;
                    else
                      database.store_simulation(point.number, answer, by);
                    events.simulated(point, answer, ++finished);
                  });
  return interrupted;
}

}  // namespace

std::size_t run_study(const StudyRun& run, const StudyEvents& events) {
  const StudyInputs inputs = open_inputs(run.study, run.jobs);
  const std::vector<StudyPoint> points = points_of(run.study, inputs);
  std::vector<std::vector<output::Cell>> rows;
  for (const StudyPoint& point : points)
    rows.push_back(input_row(point, run.study, inputs));
  const LockFile lock(run.database.string() + ".lock");
  Database database(run.database,
                    {run.study.file.filename().string(), digest_of(rows),
                     static_cast<std::int64_t>(points.size()), run.shard, notes_of_problems(inputs)},
                    rows);
  events.ready();
  if (database.repaired().any()) events.repaired(database.repaired());
  std::int64_t infeasible = 0;
  std::int64_t known = 0;
  for (const PointState& state : database.states()) {
    infeasible += state.feasible ? 0 : 1;
    known += state.has_closed_form ? 1 : 0;
  }
  events.opened(static_cast<std::int64_t>(points.size()), infeasible, known);
  const ClosedForms closed_form_s = closed_forms(run, inputs, points, database, events);
  return simulate(run, inputs, points, closed_form_s, database, events);
}

}  // namespace finegrain::study
