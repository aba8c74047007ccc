// SPDX-License-Identifier: MIT
#include "sim/replay/contention.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/observers/rivals.hpp"
#include "sim/replay/self_scheduling/assign_tasks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {

// For bytes.hpp.
auto parts_of(Contention& one) {
  return std::tie(one.region, one.link, one.slowed, one.rival, one.late_s);
}

std::vector<Contention> replay_contention(const ReplayJob& job, const ReplayOptions& options) {
  if (job.platform->changes_over_time)
    throw InputError(
        job.platform->file.string(),
        "a <trace_connect> changes it during the run (who shares links is told of one that stays as "
        "it is)",
        "Leave it out");
  if (!job.platform->routing.empty() && job.platform->routing != "minimal")
    throw InputError(job.platform->file.string(),
                     fmt::format("routing is {} (who shares links is told of messages with one way)",
                                 job.platform->routing),
                     "Leave it out");
  ReplayOptions in_full = options;
  in_full.repeat_tolerance = 0;
  std::vector<Contention> all;
  forked<std::vector<Contention>>(
      1, 1,
      [&](std::size_t /*index*/) {
        LoadedPlatform loaded = load_platform(job);
        Rivals rivals(static_cast<std::size_t>(job.programs->ranks()), loaded.link_bandwidths_bytes_per_s());
        const std::array<Observer*, 1> observers = {&rivals};
        const auto as_given = assign_tasks(loaded, job, in_full);
        const ReplayResult result =
            simulate_flows(loaded, as_given ? as_given->job(job) : job, in_full, observers);
        return rivals.contentions(result.regions, loaded.link_names());
      },
      [&](std::size_t /*index*/, std::vector<Contention> found) { all = std::move(found); });
  return all;
}

}  // namespace finegrain::replay
