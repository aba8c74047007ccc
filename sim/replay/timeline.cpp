// SPDX-License-Identifier: MIT
#include "sim/replay/timeline.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/observers/critical_path.hpp"
#include "sim/replay/observers/link_uses.hpp"
#include "sim/replay/observers/spans.hpp"
#include "sim/replay/programs/check_schedule.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
// For bytes.hpp.
auto parts_of(LinkUse& link) {
  return std::tie(link.name, link.bandwidth_bytes_per_s, link.bytes, link.node);
}
auto parts_of(Timeline& timeline) {
  return std::tie(timeline.makespan_s, timeline.phases, timeline.messages, timeline.critical_path,
                  timeline.links);
}

namespace {

/// @pre this process has not simulated before
Timeline simulate_timeline(const ReplayJob& job, ReplayOptions options) {
  options.repeat_tolerance = 0;
  LoadedPlatform loaded = load_platform(job);
  StepLog log(job.schedule->ranks.size());
  LinkUses links(loaded);
  const std::array<Observer*, 2> observers = {&log, &links};
  const ReplayResult result = simulate_flows(loaded, job, options, observers);
  return {.makespan_s = result.total_s,
          .phases = phase_spans(log),
          .messages = message_spans(log),
          .critical_path = critical_path(log),
          .links = links.crossed()};
}

}  // namespace

Timeline replay_timeline(const Schedule& schedule, const platform::Platform& platform,
                         std::int64_t iterations, const ReplayOptions& options,
                         const problem::Placement* placement) {
  if (platform.changes_over_time) {
    throw InputError(platform.file.string(),
                     "a <trace_connect> changes it during the run (timelines need one that stays as it is)",
                     "Leave it out");
  }
  Schedule first = schedule;
  first.run.iterations = iterations;
  check_schedule(first);
  const ReplayJob job{.schedule = &first, .platform = &platform, .placement = placement};
  std::optional<Timeline> timeline;
  forked<Timeline>(
      1, 1, [&](std::size_t /*index*/) { return simulate_timeline(job, options); },
      [&](std::size_t /*index*/, Timeline simulated) { timeline = std::move(simulated); });
  return std::move(*timeline);
}

}  // namespace finegrain::replay
