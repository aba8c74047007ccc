// SPDX-License-Identifier: MIT
#include "sim/replay/replay.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sim/replay/actor_simulation.hpp"
#include "sim/replay/bytes.hpp"
#include "sim/replay/check_schedule.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/flow_simulation.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::string to_bytes(const ReplayResult& result) {
  std::string text;
  append(text, result.total_s);
  append(text, result.simulated_iterations);
  append(text, result.repeats);
  append(text, result.repeat_change);
  append(text, result.flows);
  for (const RankReplay& rank : result.ranks) {
    append(text, rank.finish_s);
    for (const double phase_s : rank.phases_s)
      append(text, phase_s);
  }
  return text;
}

ReplayResult from_bytes(std::string_view text, const Schedule& schedule) {
  ReplayResult result;
  take(text, result.total_s);
  take(text, result.simulated_iterations);
  take(text, result.repeats);
  take(text, result.repeat_change);
  take(text, result.flows);
  for (const Body& body : schedule.ranks) {
    RankReplay& rank = result.ranks.emplace_back();
    take(text, rank.finish_s);
    rank.phases_s.resize(body.regions.size());
    for (double& phase_s : rank.phases_s)
      take(text, phase_s);
  }
  return result;
}

void check_durations(const ReplayJob& job) {
  if (job.durations == nullptr) return;
  bool matches = job.durations->size() == job.schedule->ranks.size();
  for (std::size_t rank = 0; matches && rank < job.durations->size(); ++rank)
    matches = (*job.durations)[rank].size() == job.schedule->ranks[rank].regions.size();
  if (!matches) throw InputError("durations: not one for each rank and phase. Take both from the same trace");
}

void check_platform(const Platform& platform, const ReplayOptions& options) {
  if (!platform.changes_over_time || options.one_flow_per_message) return;
  throw InputError(fmt::format(
      "{}: a <trace_connect> changes it during the run (what only SimGrid's own flows follow). Add "
      "--one-flow-per-message, or leave it out",
      platform.file.string()));
}

}  // namespace

std::string_view network_model(const ReplayOptions& options) {
  return options.one_flow_per_message
             ? "CM02, max-min shares, one SimGrid flow a message, latency added per message, no crosstraffic"
             : "CM02, max-min shares, messages of one route in one flow, latency added per message, no "
               "crosstraffic";
}

ReplayResult replay(const Schedule& schedule, const Platform& platform, const ReplayOptions& options,
                    const Placement* placement) {
  return replay_all({{.schedule = &schedule, .platform = &platform, .placement = placement}}, 1, options)
      .front();
}

std::vector<ReplayResult> replay_all(const std::vector<ReplayJob>& jobs, int processes,
                                     const ReplayOptions& options,
                                     const std::function<void(std::size_t)>& finished) {
  for (const ReplayJob& job : jobs) {
    check_schedule(*job.schedule);
    check_durations(job);
    check_platform(*job.platform, options);
  }
  const auto answers = run_in_processes(
      jobs.size(), processes,
      [&](std::size_t index) {
        const auto simulate = options.one_flow_per_message ? simulate_with_actors : simulate_flows;
        return to_bytes(simulate(jobs[index], options));
      },
      finished);
  std::vector<ReplayResult> results;
  for (std::size_t index = 0; index < jobs.size(); ++index)
    results.push_back(from_bytes(answers[index], *jobs[index].schedule));
  return results;
}

}  // namespace finegrain
