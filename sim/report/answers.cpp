// SPDX-License-Identifier: MIT
#include "sim/report/answers.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/model/numbered_phase.hpp"
#include "sim/policy/closed_form.hpp"

namespace finegrain::report {
namespace {

struct PhaseTimes {
  double mean_s = 0;
  double slowest_s = 0;
};

/// The times of a phase over all ranks. A rank that does not have the phase spends no time in it.
PhaseTimes over_ranks(const Schedule& schedule, const model::NumberedPhase& wanted,
                      const auto& seconds_of_phase) {
  PhaseTimes times;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks[rank].regions);
    const auto phase = std::ranges::find(phases, wanted);
    if (phase == phases.end()) continue;
    const double time_s = seconds_of_phase(rank, static_cast<std::size_t>(phase - phases.begin()));
    times.mean_s += time_s / static_cast<double>(schedule.ranks.size());
    times.slowest_s = std::max(times.slowest_s, time_s);
  }
  return times;
}

nlohmann::json to_json(const PhaseTimes& times) {
  return {{"mean", times.mean_s}, {"slowest", times.slowest_s}};
}

nlohmann::json phases_of(const ReportRun& run, const replay::ReplayResult& simulated,
                         const std::optional<model::Prediction>& closed_form) {
  const auto iterations = static_cast<double>(run.schedule.run.iterations);
  auto phases = nlohmann::json::array();
  for (const model::NumberedPhase& phase : phases_of_ranks(run.schedule)) {
    nlohmann::json times = {{"name", phase.name()}, {"kind", phase.region.text()}};
    times["simulated_s"] = to_json(over_ranks(run.schedule, phase, [&](std::size_t rank, std::size_t number) {
      return simulated.ranks[rank].phases_s[number] / iterations;
    }));
    if (run.recorded) {
      times["measured_s"] =
          to_json(over_ranks(run.schedule, phase, [&](std::size_t rank, std::size_t number) {
            return run.recorded->measurement.phases_s[rank][number];
          }));
    }
    const std::optional<double> predicted_s =
        closed_form ? phase_time_s(*closed_form, phase.region, phase.number) : std::nullopt;
    if (predicted_s) times["closed_form_s"] = *predicted_s;
    phases.push_back(std::move(times));
  }
  return phases;
}

/// Joules of an iteration. A phase has the joules that it adds to those of an idle machine.
nlohmann::json energy_of(const ReportRun& run, const replay::ReplayResult& simulated) {
  const auto iterations = static_cast<double>(run.schedule.run.iterations);
  nlohmann::json energy = energy_data(simulated, iterations);
  for (const model::NumberedPhase& phase : phases_of_ranks(run.schedule)) {
    energy["phases"].push_back(
        {{"name", phase.name()}, {"joules", phase_joules(run.schedule, simulated, phase) / iterations}});
  }
  return energy;
}

}  // namespace

std::vector<model::NumberedPhase> phases_of_ranks(const Schedule& schedule) {
  std::vector<model::NumberedPhase> all;
  for (const Body& rank : schedule.ranks) {
    auto next = all.begin();  // where a phase belongs that no rank before has
    for (const model::NumberedPhase& phase : model::numbered(rank.regions)) {
      const auto known = std::ranges::find(all, phase);
      next = std::next(known == all.end() ? all.insert(next, phase) : known);
    }
  }
  return all;
}

double phase_joules(const Schedule& schedule, const replay::ReplayResult& simulated,
                    const model::NumberedPhase& phase) {
  double joules = 0;
  for (std::size_t rank = 0; rank < simulated.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks[rank].regions);
    const auto place = static_cast<std::size_t>(std::ranges::find(phases, phase) - phases.begin());
    const std::vector<double>& phases_j = simulated.ranks[rank].phases_j;
    if (place < phases_j.size()) joules += phases_j[place];
  }
  return joules;
}

nlohmann::json energy_data(const replay::ReplayResult& simulated, double iterations) {
  return {{"total_j", simulated.energy->total_j / iterations},
          {"idle_j", simulated.energy->idle_j / iterations},
          {"mean_w", simulated.total_s > 0 ? simulated.energy->total_j / simulated.total_s : 0},
          {"phases", nlohmann::json::array()}};
}

std::optional<model::Prediction> closed_form_of(const ReportRun& run, const platform::Platform& platform) {
  return policy::predict(run.schedule.run, run.counts, platform.costs, model::ClosedForm::as_published,
                         &run.placement);
}

nlohmann::json answer_of(const ReportRun& run, const replay::ReplayResult& simulated,
                         const std::optional<model::Prediction>& closed_form) {
  nlohmann::json answer = {
      {"simulated_s", simulated.total_s / static_cast<double>(run.schedule.run.iterations)},
      {"phases", phases_of(run, simulated, closed_form)}};
  if (simulated.energy) answer["energy"] = energy_of(run, simulated);
  if (closed_form) answer["closed_form_s"] = closed_form->total_s;
  if (run.recorded) {
    const Measurement& measured = run.recorded->measurement;
    answer["measured_s"] = measured.iteration_s;
    answer["measured_low_s"] = measured.iteration_low_s;
    answer["measured_high_s"] = measured.iteration_high_s;
  }
  return answer;
}

}  // namespace finegrain::report
