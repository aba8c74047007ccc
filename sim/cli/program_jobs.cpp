// SPDX-License-Identifier: MIT
#include "sim/cli/program_jobs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/platform/platform_facts.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// As recorded, unless that is more than a node of the platform has cores.
int ranks_per_node_of(const Run& run, const platform::Platform& platform) {
  const platform::PlatformFacts facts = platform::platform_facts(platform.file);
  const int most = ranks_that_fit(facts, run.threads_per_rank).value_or(run.ranks_per_node);
  return std::max(std::min(run.ranks_per_node, most), 1);
}

/// The platform of the machine that the program ran on: the user's, or the one of those to simulate that was
/// calibrated there. None: nobody knows.
std::optional<platform::Platform> recorded_on(const ProgramOptions& options, const Manifest& manifest,
                                              std::span<const platform::Platform> platforms) {
  if (!options.recorded_on.empty()) return platform::read_platform(options.recorded_on);
  for (const platform::Platform& platform : platforms)
    if (is_measured_where(manifest, platform.file)) return platform;
  return std::nullopt;
}

ComputeScale scale_of(const ProgramOptions& options, const std::optional<platform::Platform>& origin,
                      const platform::Platform& platform, const Run& recorded, const Run& run) {
  if (options.compute_scale) return {*options.compute_scale, "--compute-scale"};
  if (!origin)
    return {1,
            "as recorded (--compute-scale, --compute-scale-from or --recorded-on say how much faster or "
            "slower a core is there)"};
  const auto bandwidth = [](const platform::Platform& of, const Run& where) {
    return private_bandwidth_bytes_per_s(of.costs, std::min(where.ranks, where.ranks_per_node),
                                         where.threads_per_rank);
  };
  const double here = bandwidth(*origin, recorded);
  const double there = bandwidth(platform, run);
  return {here / there, fmt::format("memory bandwidth of a rank: {:.3g} GB/s on {}, {:.3g} there", here / 1e9,
                                    origin->name, there / 1e9)};
}

ComputeScale scale_of(const WorkFactors& factors, const std::string& trace) {
  return {factors.mean(), fmt::format("as recorded in {}: {}", trace, factors.range())};
}

}  // namespace

ProgramJobs::ProgramJobs(const Trace& trace, const std::string& name, const ProgramOptions& program,
                         const WorkloadOptions& workload, std::vector<platform::Platform> read,
                         const PlatformOptions& platform_options)
    : platforms(std::move(read)), collectives(program.collectives), programs(trace, KilledRun::ends_early) {
  const Run& recorded = trace.manifest().run;
  if (!workload.ranks.empty() && workload.ranks != std::vector{recorded.ranks})
    throw InputError("--ranks",
                     fmt::format("{} was recorded on {} and replays on the same number", name,
                                 format_count(recorded.ranks, "rank")),
                     "Leave --ranks out");
  for (const auto& [flag, file] : workload.problems)
    if (!file.empty())
      throw InputError(fmt::format("--{}", flag),
                       fmt::format("{} is a recorded program, and none of finegrain's patterns", name),
                       "Leave it out");
  for (const platform::Platform& platform : platforms) {
    Run& run = runs.emplace_back(Schedule{recorded, {}}).run;
    run.ranks_per_node = workload.ranks_per_node.value_or(ranks_per_node_of(recorded, platform));
    check_cores({&run, 1}, {&platform, 1}, platform_options);
  }
  if (const std::string& there = program.compute_scale_from; !there.empty())
    elsewhere.emplace(programs, work_factors(programs, name, there));
  const std::optional<platform::Platform> origin = recorded_on(program, trace.manifest(), platforms);
  for (std::size_t job = 0; job < platforms.size(); ++job) {
    collectives::Overrides overrides;
    for (const std::string& text : program.collectives)
      overrides.add(text);
    decisions.emplace_back(platforms[job].mpi, std::move(overrides));
    scales.push_back(elsewhere ? scale_of(elsewhere->factors(), program.compute_scale_from)
                               : scale_of(program, origin, platforms[job], recorded, runs[job].run));
  }
  place(workload);
  for (std::size_t job = 0; job < platforms.size(); ++job)
    jobs.push_back({.schedule = &runs[job],
                    .platform = &platforms[job],
                    .placement = &placements[job],
                    .programs = elsewhere ? static_cast<const Programs*>(&*elsewhere) : &programs,
                    .decisions = &decisions[job],
                    .compute_scale = elsewhere ? 1 : scales[job].factor,
                    .keeps_tasks = program.keep_tasks});
}

/// Platforms with equally many ranks on a node share one placement, which may take long to find.
void ProgramJobs::place(const WorkloadOptions& workload) {
  const graph::PlacementRule rule = placement_rule(workload);
  for (const Schedule& schedule : runs) {
    const Run& run = schedule.run;
    const auto same = std::ranges::find(runs, run.ranks_per_node,
                                        [](const Schedule& other) { return other.run.ranks_per_node; });
    const auto known = static_cast<std::size_t>(same - runs.begin());
    if (known < placements.size()) {
      placements.push_back(problem::Placement(placements[known]));
      continue;
    }
    placements.push_back(with_progress(rule, run.ranks, [&] {
      return placement_by(
          rule, run.ranks, run.ranks_per_node,
          [&] { return graph::rank_graph(programs, &decisions.front()); }, hops_on(platforms));
    }));
  }
}

std::vector<std::string> ProgramJobs::notes() const {
  std::vector<NoteOnPlatform> notes;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    notes.push_back({platforms[job].name,
                     fmt::format("collectives as {} does them{}{}; work x {:.3g}, {}", platforms[job].mpi,
                                 collectives.empty() ? "" : ", ", fmt::join(collectives, ", "),
                                 scales[job].factor, scales[job].origin)});
  return shared_notes(notes);
}

}  // namespace finegrain::cli
