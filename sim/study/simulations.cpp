// SPDX-License-Identifier: MIT
#include "sim/study/simulations.hpp"

#include <algorithm>

#include "sim/policy/policy.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/study/program_points.hpp"

namespace finegrain::study {
namespace {

/// @param processes  how many simulations may run at the same time, if the point needs several
Answer simulate(const StudyPoint& point, const StudyInputs& inputs, const replay::ReplayOptions& options,
                int processes) {
  const ChangedPlatform& changed = inputs.platforms[point.platform];
  const platform::ScaledPlatform platform(changed.platform, changed.links);
  if (!inputs.jobs.empty()) {
    Answer answer;
    inputs.jobs_reader.prepare(
        inputs.jobs[point.position(Axis::problem)], platform.platform(), point.collective,
        point.compute_scale, [&](std::span<const replay::SharedJob> jobs) {
          answer = answer_of_jobs(answer::evaluate_side_by_side(jobs, processes, options));
        });
    return answer;
  }
  if (!inputs.programs.empty())
    return simulate_program(inputs.programs[point.position(Axis::problem)], point, platform.platform(),
                            changed.hops_of, options);
  const Schedule schedule = policy::make_schedule(*inputs.problems[point.position(Axis::problem)], point.run);
  const problem::Placement placement = placement_of(
      point, [&] { return graph::rank_graph(schedule); }, changed.hops_of);
  return simulated_answer(answer::evaluate_here(
      {.job = {.schedule = &schedule, .platform = &platform.platform(), .placement = &placement}}, options));
}

}  // namespace

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
