// SPDX-License-Identifier: MIT
#include "sim/replay/timeline.hpp"

#include <fmt/format.h>

#include "sim/replay/bytes.hpp"
#include "sim/replay/check_schedule.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/flow_simulation.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::string to_bytes(const Timeline& timeline) {
  std::string bytes;
  append(bytes, timeline.makespan_s);
  append(bytes, timeline.phases);
  append(bytes, timeline.messages);
  append(bytes, timeline.critical_path);
  append(bytes, static_cast<std::uint64_t>(timeline.links.size()));
  for (const LinkUse& link : timeline.links) {
    append(bytes, link.name);
    append(bytes, link.bandwidth_bytes_per_s);
    append(bytes, link.bytes);
    append(bytes, link.node);
  }
  return bytes;
}

Timeline from_bytes(std::string_view bytes) {
  Timeline timeline;
  take(bytes, timeline.makespan_s);
  take(bytes, timeline.phases);
  take(bytes, timeline.messages);
  take(bytes, timeline.critical_path);
  std::uint64_t links = 0;
  take(bytes, links);
  timeline.links.resize(links);
  for (LinkUse& link : timeline.links) {
    take(bytes, link.name);
    take(bytes, link.bandwidth_bytes_per_s);
    take(bytes, link.bytes);
    take(bytes, link.node);
  }
  return timeline;
}

}  // namespace

Timeline replay_timeline(const Schedule& schedule, const Platform& platform, std::int64_t iterations,
                         const ReplayOptions& options, const Placement* placement) {
  if (platform.changes_over_time) {
    throw InputError(
        fmt::format("{}: a <trace_connect> changes it during the run (timelines need one that "
                    "stays as it is). Leave it out",
                    platform.file.string()));
  }
  Schedule first = schedule;
  first.run.iterations = iterations;
  check_schedule(first);
  const ReplayJob job{.schedule = &first, .platform = &platform, .placement = placement};
  const auto bytes = run_in_processes(
      1, 1, [&](std::size_t /*index*/) { return to_bytes(simulate_timeline(job, options)); });
  return from_bytes(bytes.front());
}

}  // namespace finegrain
