// SPDX-License-Identifier: MIT
#include "sim/cli/jobs_on_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "sim/cli/program_jobs.hpp"
#include "sim/platform/platform_facts.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// The jobs, each made ready by a function that calls the next one: what a job points to lives in its
/// caller.
class Preparation {
 public:
  Preparation(const std::vector<std::string>& texts, const JobPlace& place, const ProgramOptions& program,
              const platform::Platform& platform, const PlatformOptions& platform_options,
              const std::function<void(const JobsOnNodes&)>& use)
      : place_(place),
        program_(program),
        platform_options_(platform_options),
        platforms_{platform},
        use_(use) {
    for (const std::string& text : texts) {
      texts_.push_back(parse_job(text, place));
      find_hosts(texts_.back(), platform.file);
    }
  }

  void run() {
    scale_nodes(program_, platforms_);
    prepare_next();
  }

 private:
  void prepare_next() {
    if (ready_.jobs.size() == texts_.size()) return use();
    const JobText& text = texts_[ready_.jobs.size()];
    if (!text.is_trace()) {
      const Workload workload = workload_of(text, place_, platforms_);
      const Schedule schedule = workload.schedule(workload.runs().front());
      for (const std::string& note : workload.notes())
        ready_.notes.push_back(fmt::format("job {}: {}", ready_.jobs.size() + 1, note));
      return go_on_with({.schedule = &schedule, .platform = &platforms_.front()}, text);
    }
    const Trace trace = open_trace(text.what, program_.names);
    if (!trace.knows_iterations()) {
      WorkloadOptions workload;
      workload.ranks_per_node = ranks_per_node(text, trace.manifest().run);
      PlatformOptions options = platform_options_;
      // Nodes that are unlike one another are checked when it is known which the jobs have.
      options.oversubscribe = options.oversubscribe || !platforms_.front().nodes.empty();
      const ProgramJobs prepared(trace, text.what, program_, workload, platforms_, options);
      std::ranges::move(prepared.notes(), std::back_inserter(ready_.notes));
      if (std::string note = describe_work_of_every_call(prepared.jobs.front()); !note.empty())
        ready_.notes.push_back(std::move(note));
      return go_on_with(prepared.jobs.front(), text);
    }
    Schedule schedule{trace.manifest().run, {}};
    std::optional<RecordedPrograms> programs;
    try {
      schedule = schedule_of(trace);
    } catch (const IterationsDiffer&) {
      programs.emplace(trace);
    }
    go_on_with(
        {.schedule = &schedule, .platform = &platforms_.front(), .programs = programs ? &*programs : nullptr},
        text);
  }

  static int ranks_per_node(const JobText& text, const Run& run) {
    return (run.ranks - 1) / static_cast<int>(text.nodes.size()) + 1;
  }

  void go_on_with(const replay::ReplayJob& job, const JobText& text) {
    check_fills_nodes(text, job.schedule->run.ranks, place_);
    check_slots(text, job.schedule->run);
    ready_.jobs.push_back({job, text.nodes, text.start_s});
    ready_.texts.push_back(text.what);
    ready_.nodes.push_back(text.nodes_text);
    prepare_next();
  }

  /// A job's ranks fill its nodes in blocks, as hosts_of_ranks() deals them out.
  void check_slots(const JobText& text, const Run& run) const {
    const auto nodes = static_cast<int>(text.nodes.size());
    for (std::size_t node = 0; node < text.slots.size() && !platform_options_.oversubscribe; ++node) {
      const int ranks = run.ranks / nodes + (std::cmp_less(node, run.ranks % nodes) ? 1 : 0);
      if (!text.slots[node] || *text.slots[node] >= ranks) continue;
      throw InputError(
          place_.where,
          fmt::format("{} on node {}, which has {} in {}", format_count(ranks, "rank"), text.nodes[node],
                      format_count(*text.slots[node], "slot"), text.hostfile.string()),
          "Give fewer ranks or more hosts, or --oversubscribe");
    }
  }

  /// Checks one node of a platform whose nodes are unlike one another.
  void check_cores_of_node(int node, int ranks) const {
    const std::vector<platform::Node>& nodes = platforms_.front().nodes;
    if (std::cmp_greater_equal(node, nodes.size()) || platform_options_.oversubscribe) return;
    const platform::Node& of_node = nodes[static_cast<std::size_t>(node)];
    const std::string too_many = oversubscription(
        {.cores = of_node.cores, .measured_on = {}, .disturbed_by = {}}, platforms_.front().costs, ranks,
        ready_.jobs.front().job.schedule->run.threads_per_rank, of_node.name);
    if (!too_many.empty())
      throw InputError(place_.where, fmt::format("{} ({})", too_many, platforms_.front().name),
                       "Give fewer, or --oversubscribe");
  }

  /// Checks nodes for all jobs that they have ranks of.
  void check_cores_of_nodes() const {
    std::map<int, int> ranks_of_nodes;
    for (const replay::SharedJob& job : ready_.jobs)
      for (const int node : hosts_of_ranks(job))
        ++ranks_of_nodes[node];
    for (const auto& [node, ranks] : ranks_of_nodes)
      check_cores_of_node(node, ranks);
    if (!platforms_.front().nodes.empty()) return;
    Run fullest = ready_.jobs.front().job.schedule->run;
    fullest.ranks_per_node = std::ranges::max_element(ranks_of_nodes, {}, [](const auto& of_node) {
                               return of_node.second;
                             })->second;
    fullest.ranks = fullest.ranks_per_node;
    try {
      check_cores({&fullest, 1}, platforms_, platform_options_);
    } catch (const InputError& error) {
      throw InputError(place_.where, error.problem(),
                       "Give the jobs other nodes (@nodes=), fewer ranks, or --oversubscribe");
    }
  }

  void use() {
    if (std::ranges::all_of(ready_.jobs,
                            [](const auto& shared) { return has_pattern(shared.job.schedule->run); }))
      refuse_program_options(program_);
    if (!program_.changes.empty())
      throw InputError("--change", "it changes one recorded program, and here are several jobs",
                       "Leave it out");
    check_cores_of_nodes();
    std::ranges::move(unlike_nodes_notes(platforms_), std::back_inserter(ready_.notes));
    std::ranges::sort(ready_.notes);
    ready_.notes.erase(std::unique(ready_.notes.begin(), ready_.notes.end()), ready_.notes.end());
    use_(ready_);
  }

  JobPlace place_;
  ProgramOptions program_;
  PlatformOptions platform_options_;
  std::vector<platform::Platform> platforms_;
  std::function<void(const JobsOnNodes&)> use_;
  std::vector<JobText> texts_;
  JobsOnNodes ready_;
};

}  // namespace

Workload workload_of(const JobText& job, const JobPlace& place,
                     std::span<const platform::Platform> platforms) {
  Workload workload(parse_workload(job.what, place), platforms);
  if (workload.runs().size() != 1)
    throw InputError(place.where, fmt::format("'{}' has several numbers of ranks", job.what),
                     "Give one, and a job for each");
  return workload;
}

void check_fills_nodes(const JobText& job, int ranks, const JobPlace& place) {
  if (ranks < static_cast<int>(job.nodes.size()))
    throw InputError(place.where,
                     fmt::format("{} cannot fill the {} {}", format_count(ranks, "rank"),
                                 format_count(job.nodes.size(), "node"), job.nodes_text),
                     fmt::format("Name {} or fewer", ranks));
}

void with_jobs_on_nodes(const std::vector<std::string>& texts, const JobPlace& place,
                        const ProgramOptions& program, const platform::Platform& platform,
                        const PlatformOptions& platform_options,
                        const std::function<void(const JobsOnNodes&)>& use) {
  Preparation(texts, place, program, platform, platform_options, use).run();
}

}  // namespace finegrain::cli
