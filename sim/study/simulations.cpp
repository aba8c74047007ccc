// SPDX-License-Identifier: MIT
#include "sim/study/simulations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/numbered_phase.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/study/program_points.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

/// The slowest rank's time in each phase.
std::vector<std::pair<std::string, double>> slowest_phases_s(const Schedule& schedule,
                                                             const replay::ReplayResult& result) {
  std::vector<std::pair<std::string, double>> slowest;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> names = model::numbered(schedule.ranks[rank].regions);
    for (std::size_t phase = 0; phase < names.size(); ++phase) {
      const std::string name = names[phase].name();
      auto place = std::ranges::find(slowest, name, &std::pair<std::string, double>::first);
      if (place == slowest.end()) place = slowest.insert(slowest.end(), {name, 0});
      place->second = std::max(place->second, result.ranks[rank].phases_s[phase]);
    }
  }
  return slowest;
}

/// @param processes  how many simulations may run at the same time, if the point needs several
Answer simulate(const StudyPoint& point, const StudyInputs& inputs, const replay::ReplayOptions& options,
                int processes) {
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  const platform::ScaledPlatform platform(changed.platform, changed.links);
  if (!inputs.jobs.empty()) {
    Answer answer;
    inputs.jobs_reader.prepare(inputs.jobs[point.position(Axis::problem)], platform.platform(),
                               point.collective, point.compute_scale,
                               [&](std::span<const replay::SharedJob> jobs) {
                                 answer = answer_of(jobs, replay_side_by_side(jobs, processes, options));
                               });
    return answer;
  }
  if (!inputs.programs.empty())
    return simulate_program(inputs.programs[point.position(Axis::problem)], point, platform.platform(),
                            changed.hops_of, options);
  const Schedule schedule = policy::make_schedule(*inputs.problems[point.position(Axis::problem)], point.run);
  const problem::Placement placement = placement_by(point.placement, schedule, changed.hops_of);
  return answer_of(
      schedule,
      replay_here({.schedule = &schedule, .platform = &platform.platform(), .placement = &placement},
                  options));
}

}  // namespace

Answer answer_of(const Schedule& schedule, const replay::ReplayResult& result) {
  Answer answer{
      .total_s = result.total_s, .phases_s = slowest_phases_s(schedule, result), .none_because = {}};
  if (result.energy) answer.energy_j = result.energy->total_j;
  return answer;
}

Answer answer_of(std::span<const replay::SharedJob> jobs, const std::vector<replay::SharedJobTimes>& times) {
  Answer answer{.total_s = 0, .phases_s = {}, .none_because = {}};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    answer.phases_s.emplace_back(fmt::format("job {} alone", j + 1), times[j].alone_s);
    answer.phases_s.emplace_back(fmt::format("job {} together", j + 1), times[j].together_s);
    answer.total_s = std::max(*answer.total_s, jobs[j].start_s + times[j].together_s);
    if (const std::optional<double> slow_down = times[j].slow_down())
      answer.slow_down = std::max(answer.slow_down.value_or(*slow_down), *slow_down);
  }
  return answer;
}

Answer no_answer(const InputError& error) {
  return {.total_s = {},
          .phases_s = {},
          .none_because = error.what(),
          .interrupted = dynamic_cast<const replay::TaskInterrupted*>(&error) != nullptr};
}

void simulate_points(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs, int processes,
                     const replay::ReplayOptions& options,
                     const std::function<void(const StudyPoint&, const Answer&)>& finished) {
  const int of_each = points.empty() ? 1 : std::max(1, processes / static_cast<int>(points.size()));
  replay::forked<Answer>(
      points.size(), processes,
      [&](std::size_t job) { return simulate(*points[job], inputs, options, of_each); },
      [&](std::size_t job, const Answer& answer) { finished(*points[job], answer); },
      [&](std::size_t job, const InputError& error) { finished(*points[job], no_answer(error)); });
}

}  // namespace finegrain::study
