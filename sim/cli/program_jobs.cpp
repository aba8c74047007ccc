// SPDX-License-Identifier: MIT
#include "sim/cli/program_jobs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/platform/platform_facts.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/waited_for_cores.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::cli {
namespace {

/// How many threads of a rank worked while it was recorded.
int threads_of(const Manifest& recording) {
  const auto text = recording.environment.find(threads_of_a_rank);
  int threads = 1;
  if (text != recording.environment.end())
    std::from_chars(text->second.data(), text->second.data() + text->second.size(), threads);
  return std::clamp(threads, 1, 4096);
}

/// As recorded, unless that is more than a node of the platform has cores.
int ranks_per_node_of(const Run& run, int threads, const platform::Platform& platform) {
  const platform::PlatformFacts facts = platform::platform_facts(platform.file);
  const int most = ranks_that_fit(facts, threads).value_or(run.ranks_per_node);
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

/// "20.8Gf", or "1Gf (n0), 4Gf (n1 to n3)" where hosts differ.
std::string speeds_of(const platform::Platform& platform) {
  std::map<std::string, std::vector<std::string>> hosts_of_speeds;
  for (const platform::Node& node : platform.nodes)
    hosts_of_speeds[node.speed].push_back(node.name);
  if (hosts_of_speeds.size() < 2) return platform.speed;
  std::vector<std::string> texts;
  for (const auto& [speed, hosts] : hosts_of_speeds)
    texts.push_back(fmt::format("{} ({})", speed, platform::names_of(hosts)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

ComputeScale scale_of(const ProgramOptions& options, const std::optional<platform::Platform>& origin,
                      const platform::Platform& platform, const Run& recorded, const Run& run) {
  if (options.compute_scale) {
    const platform::ComputeScales given =
        platform::parse_compute_scales(*options.compute_scale, "--compute-scale");
    return {given.of_others, "--compute-scale", given.of_hosts};
  }
  if (!origin)
    return {1,
            "as recorded (--compute-scale, --compute-scale-from or --recorded-on say how much faster or "
            "slower a core is there)"};
  const auto is_alike = [](const platform::Node& node) {
    return node.memory_bandwidth == 1 && node.memory_bandwidth_per_core == 1;
  };
  for (const platform::Platform* one : {&*origin, &platform})
    if (!std::ranges::all_of(one->nodes, is_alike))
      throw InputError(one->file.string(),
                       "its nodes have memories of different bandwidths, and recorded work has one factor",
                       "Give it: --compute-scale");
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

/// A node has no more ranks than in the recording. @throws InputError if there are too few nodes for that
void keep_ranks_per_node(problem::Room& room, const Run& recorded, const std::string& name) {
  std::int64_t kept = 0;
  std::int64_t all = 0;
  for (int& ranks : room.most_of_nodes) {
    all += ranks;
    ranks = std::min(ranks, recorded.ranks_per_node);
    kept += ranks;
  }
  if (kept < recorded.ranks && recorded.ranks <= all)
    throw InputError(name,
                     fmt::format("{}, at most {} on a node as in the trace, need more than the platform's {}",
                                 format_count(recorded.ranks, "rank"), recorded.ranks_per_node,
                                 format_count(std::ssize(room.most_of_nodes), "node")),
                     "Give --ranks-per-node");
}

}  // namespace

void scale_nodes(const ProgramOptions& program, std::vector<platform::Platform>& platforms) {
  if (!program.compute_scale) return;
  const platform::ComputeScales scales =
      platform::parse_compute_scales(*program.compute_scale, "--compute-scale");
  for (platform::Platform& platform : platforms)
    set_compute_scales(platform, scales, "--compute-scale");
}

ProgramJobs::ProgramJobs(const Trace& trace, const std::string& name, const ProgramOptions& program,
                         const WorkloadOptions& workload, std::vector<platform::Platform> read,
                         const PlatformOptions& platform_options)
    : platforms(std::move(read)), collectives(program.collectives), programs(trace, KilledRun::ends_early) {
  const Run& recorded = trace.manifest().run;
  scale_nodes(program, platforms);
  threads = threads_of(trace.manifest());
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
    run.ranks_per_node = workload.ranks_per_node.value_or(ranks_per_node_of(recorded, threads, platform));
    problem::Room& room = rooms.emplace_back();
    if (!workload.ranks_per_node) room = graph::room_on(platform, threads);
    if (!platform.listed) keep_ranks_per_node(room, recorded, name);
    problem::Placement block(recorded.ranks, run.ranks_per_node);
    if (!room.empty()) {
      block = problem::filled_placement(recorded.ranks, room);
      graph::FilledRoom filled = graph::fill(placement_rule(workload), recorded.ranks, std::move(room));
      run.ranks_per_node = filled.ranks_per_node;
      room = std::move(filled.room);
    }
    check_cores({&run, 1}, {&platform, 1}, platform_options, {&block, 1});
  }
  if (const std::string& there = program.compute_scale_from; !there.empty())
    elsewhere.emplace(programs, work_factors(programs, name, there));
  if (!program.changes.empty()) changed.emplace(programs, program.changes);
  const std::string& work_there = program.compute_scale_from;
  const Manifest of_work = work_there.empty() ? trace.manifest() : Trace(work_there).manifest();
  has_shared_cores = of_work.oversubscribed;
  work_flops = work_flops_per_s(of_work);
  if (work_flops && !program.recorded_on.empty())
    throw InputError("--recorded-on",
                     fmt::format("{} has work in flops, which take the time of each host's speed wherever it "
                                 "was recorded",
                                 name),
                     "Leave it out");
  const std::optional<platform::Platform> origin =
      work_flops ? std::nullopt : recorded_on(program, trace.manifest(), platforms);
  for (std::size_t job = 0; job < platforms.size(); ++job) {
    collectives::Overrides overrides;
    for (const std::string& text : program.collectives)
      overrides.add(text);
    if (changed)
      for (const changes::ChosenAlgorithm& chosen : changed->algorithms())
        overrides.add_for(chosen.number, chosen.kind, chosen.blocking, chosen.algorithm);
    decisions.emplace_back(platforms[job].mpi, std::move(overrides));
    scales.push_back(elsewhere ? scale_of(elsewhere->factors(), program.compute_scale_from)
                               : scale_of(program, origin, platforms[job], recorded, runs[job].run));
  }
  place(workload);
  const replay::WorkTimes work = program.work.empty()            ? replay::usual_work(trace.manifest())
                                 : program.work == "undisturbed" ? replay::WorkTimes::undisturbed
                                 : program.work == "mean"        ? replay::WorkTimes::mean
                                                                 : replay::WorkTimes::as_recorded;
  for (std::size_t job = 0; job < platforms.size(); ++job)
    jobs.push_back({.schedule = &runs[job],
                    .platform = &platforms[job],
                    .placement = &placements[job],
                    .programs = &simulated(),
                    .decisions = &decisions[job],
                    .compute_scale = elsewhere ? 1 : scales[job].factor,
                    .work_flops_per_s = work_flops,
                    .work = work,
                    .keeps_tasks = program.keep_tasks});
}

const Programs& ProgramJobs::simulated() const {
  if (changed) return changed->programs();
  return elsewhere ? static_cast<const Programs&>(*elsewhere) : programs;
}

/// Platforms with equally many ranks on a node share one placement, which may take long to find.
void ProgramJobs::place(const WorkloadOptions& workload) {
  const graph::PlacementRule rule = placement_rule(workload);
  for (std::size_t job = 0; job < runs.size(); ++job) {
    const Run& run = runs[job].run;
    std::size_t known = 0;
    while (runs[known].run.ranks_per_node != run.ranks_per_node || rooms[known] != rooms[job])
      ++known;
    if (known < placements.size()) {
      placements.push_back(problem::Placement(placements[known]));
      continue;
    }
    placements.push_back(with_progress(rule, run.ranks, [&] {
      if (!rooms[job].empty()) return placement_by(rule, run.ranks, rooms[job]);
      return placement_by(
          rule, run.ranks, run.ranks_per_node,
          [&] { return graph::rank_graph(simulated(), &decisions.front()); }, hops_on(platforms));
    }));
  }
}

std::string ProgramJobs::work_note(std::size_t job) const {
  const platform::Platform& platform = platforms[job];
  const ComputeScale& scale = scales[job];
  std::string of_hosts;
  for (const auto& [names, own] : scale.of_hosts)
    of_hosts += fmt::format("; x {:.3g} on {}", own, names);
  if (work_flops)
    return fmt::format("work in flops, at the speed of each host: {}{}{}", speeds_of(platform),
                       scale.factor == 1 ? "" : fmt::format("; x {:.3g}, {}", scale.factor, scale.origin),
                       of_hosts);
  const std::string speeds = speeds_of(platform);
  return fmt::format("work x {:.3g}, {}{}{}", scale.factor, scale.origin, of_hosts,
                     speeds == platform.speed
                         ? ""
                         : fmt::format("; that is on its first host, and others{} take "
                                       "their time by their speeds: {}",
                                       of_hosts.empty() ? "" : " without a factor", speeds));
}

std::vector<std::string> ProgramJobs::notes() const {
  std::vector<NoteOnPlatform> notes;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    notes.push_back({platforms[job].name, fmt::format("collectives as {} does them{}{}; {}",
                                                      platforms[job].mpi, collectives.empty() ? "" : ", ",
                                                      fmt::join(collectives, ", "), work_note(job))});
  std::vector<std::string> all = shared_notes(notes);
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(all));
  if (threads > 1)
    all.push_back(fmt::format(
        "up to {} of a rank had work, so a rank has as many cores here, unless flags put more ranks on a "
        "node{}",
        format_count(threads, "thread"),
        has_shared_cores
            ? ". They shared cores while they were recorded, and what they waited for one another counts as "
              "work: it is too long, up to as many times as threads shared a core. Record fewer ranks, or "
              "with "
              "OMP_NUM_THREADS=1"
            : ""));
  if (changed) std::ranges::copy(changed->notes(), std::back_inserter(all));
  return all;
}

}  // namespace finegrain::cli
