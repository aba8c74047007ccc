// SPDX-License-Identifier: MIT
#include "sim/cli/jobs_on_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "sim/cli/progress.hpp"
#include "sim/report/jobs_report.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

constexpr const char* example =
    "Write it like runs/cg@nodes=0-15, or '--heat 2000x4000 --ranks 64@nodes=16-31,offset=2ms'";

/// A job as it was written.
struct JobText {
  std::string what;  ///< flags of a workload, or a trace
  std::string nodes_text;
  std::vector<int> nodes;
  double start_s = 0;

  bool is_trace() const { return !what.starts_with("--"); }
};

int parse_node(std::string_view text, const std::string& job) {
  int node = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), node);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || node < 0 || node >= 1'000'000)
    throw InputError("--job", fmt::format("'{}' in '{}' is no node", text, job), example);
  return node;
}

/// "0-15", or several of them: "0-3+8-11". @returns in ascending order
std::vector<int> parse_nodes(const std::string& text, const std::string& job) {
  std::vector<int> nodes;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, '+');) {
    const std::size_t dash = range.find('-');
    const int first = parse_node(std::string_view(range).substr(0, dash), job);
    const int last =
        dash == std::string::npos ? first : parse_node(std::string_view(range).substr(dash + 1), job);
    if (last < first)
      throw InputError("--job", fmt::format("'{}' in '{}' ends before it begins", range, job), example);
    for (int node = first; node <= last; ++node)
      nodes.push_back(node);
  }
  if (nodes.empty()) throw InputError("--job", fmt::format("'{}' names no nodes", job), example);
  std::ranges::sort(nodes);
  return nodes;
}

JobText parse_job(const std::string& text) {
  constexpr std::string_view begin_places = "@nodes=";
  const std::size_t at = text.rfind(begin_places);
  if (at == std::string::npos || at == 0)
    throw InputError("--job", fmt::format("'{}' does not say what runs and on which nodes", text), example);
  JobText job{.what = text.substr(0, at), .nodes_text = {}, .nodes = {}};
  std::istringstream places(text.substr(at + begin_places.size()));
  std::getline(places, job.nodes_text, ',');
  job.nodes = parse_nodes(job.nodes_text, text);
  for (std::string place; std::getline(places, place, ',');) {
    constexpr std::string_view offset = "offset=";
    if (!place.starts_with(offset))
      throw InputError("--job", fmt::format("'{}' in '{}' is neither nodes nor offset", place, text),
                       example);
    job.start_s = parse_time_s(place.substr(offset.size()), "--job");
  }
  return job;
}

WorkloadOptions parse_workload(const std::string& flags) {
  WorkloadOptions options;
  CLI::App app("job");
  app.set_help_flag();
  add_workload_options(app, options);
  app.add_option("--iterations", options.iterations)->check(at_least_one());
  try {
    app.parse(flags);
  } catch (const CLI::ParseError& error) {
    throw InputError("--job", fmt::format("'{}': {}", flags, error.what()), example);
  }
  return options;
}

/// The jobs, each made ready by a function that calls the next one: what a job points to lives in its
/// caller.
class Preparation {
 public:
  Preparation(const std::vector<std::string>& texts, const ProgramOptions& program,
              const PlatformOptions& platform_options, const std::function<void(const JobsOnNodes&)>& use)
      : program_(program),
        platform_options_(platform_options),
        platforms_(read_platforms(platform_options)),
        use_(use) {
    if (platforms_.size() != 1)
      throw InputError("--platform", "the jobs run on one machine", "Give one platform");
    for (const std::string& text : texts)
      texts_.push_back(parse_job(text));
  }

  void run() { prepare_next(); }

 private:
  void prepare_next() {
    if (ready_.jobs.size() == texts_.size()) return use();
    const JobText& text = texts_[ready_.jobs.size()];
    if (!text.is_trace()) {
      const Workload workload(parse_workload(text.what), platforms_);
      if (workload.runs().size() != 1)
        throw InputError("--job", fmt::format("'{}' has several numbers of ranks", text.what),
                         "Give one, and a job for each");
      const Schedule schedule = workload.schedule(workload.runs().front());
      return go_on_with({.schedule = &schedule, .platform = &platforms_.front()}, text);
    }
    const Trace trace(text.what);
    if (is_program(trace.manifest().run)) {
      WorkloadOptions workload;
      workload.ranks_per_node = ranks_per_node(text, trace.manifest().run);
      return with_program_job(trace, text.what, program_, workload, platform_options_,
                              [&](const replay::ReplayJob& job, const std::vector<std::string>& notes) {
                                std::ranges::copy(notes, std::back_inserter(ready_.notes));
                                go_on_with(job, text);
                              });
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
    const int ranks = job.schedule->run.ranks;
    if (ranks < static_cast<int>(text.nodes.size()))
      throw InputError("--job",
                       fmt::format("{} cannot fill the {} {}", format_count(ranks, "rank"),
                                   format_count(text.nodes.size(), "node"), text.nodes_text),
                       fmt::format("Name {} or fewer", ranks));
    ready_.jobs.push_back({job, text.nodes, text.start_s});
    ready_.texts.push_back(text.what);
    ready_.nodes.push_back(text.nodes_text);
    prepare_next();
  }

  /// Of all jobs that a node has ranks of.
  void check_cores_of_nodes() const {
    std::map<int, int> ranks_of_nodes;
    for (const replay::SharedJob& job : ready_.jobs)
      for (const int node : hosts_of_ranks(job))
        ++ranks_of_nodes[node];
    Run fullest = ready_.jobs.front().job.schedule->run;
    fullest.ranks_per_node = std::ranges::max_element(ranks_of_nodes, {}, [](const auto& of_node) {
                               return of_node.second;
                             })->second;
    fullest.ranks = fullest.ranks_per_node;
    check_cores({&fullest, 1}, platforms_, platform_options_);
  }

  void use() {
    if (std::ranges::none_of(ready_.jobs,
                             [](const auto& shared) { return is_program(shared.job.schedule->run); }))
      refuse_program_options(program_);
    check_cores_of_nodes();
    std::ranges::sort(ready_.notes);
    ready_.notes.erase(std::unique(ready_.notes.begin(), ready_.notes.end()), ready_.notes.end());
    use_(ready_);
  }

  ProgramOptions program_;
  PlatformOptions platform_options_;
  std::vector<platform::Platform> platforms_;
  std::function<void(const JobsOnNodes&)> use_;
  std::vector<JobText> texts_;
  JobsOnNodes ready_;
};

/// Notes of a table and of a page.
std::vector<std::string> notes_of(const JobsOnNodes& ready, const replay::ReplayOptions& replay) {
  std::vector<std::string> notes;
  for (std::size_t j = 0; j < ready.texts.size(); ++j)
    notes.push_back(fmt::format("job {}: {}", j + 1, ready.texts[j]));
  notes.emplace_back(
      "start: after the first job's; alone and together: from its start to its last rank's end");
  notes.emplace_back(
      "alone: on the same nodes. Jobs share links, and the memory of a node that several have");
  notes.push_back(fmt::format("Network: {}; every iteration is simulated", network_model(replay)));
  std::ranges::copy(ready.notes, std::back_inserter(notes));
  return notes;
}

output::Table table_of(const JobsOnNodes& ready, const std::vector<replay::SharedJobTimes>& times) {
  output::Table table;
  table.name = "jobs";
  table.title = fmt::format("{} on {}: simulated seconds of each, alone and beside the others",
                            format_count(ready.jobs.size(), "job"), ready.jobs.front().job.platform->name);
  table.columns = {{"job", "job"},
                   {"what", "what"},
                   {"nodes", "nodes"},
                   {"ranks", "ranks"},
                   {"start_s", "start", 6},
                   {"alone_s", "alone", 6},
                   {"together_s", "together", 6},
                   {"slow_down", "slow-down", 3}};
  for (std::size_t j = 0; j < ready.jobs.size(); ++j) {
    const Run& run = ready.jobs[j].job.schedule->run;
    const std::optional<double> slow_down = times[j].slow_down();
    table.rows.push_back({static_cast<std::int64_t>(j + 1), describe(run), ready.nodes[j],
                          std::int64_t{run.ranks}, ready.jobs[j].start_s, times[j].alone_s,
                          times[j].together_s, slow_down ? output::Cell(*slow_down) : output::Cell()});
  }
  return table;
}

}  // namespace

CLI::Option* add_job_option(CLI::App& command, std::vector<std::string>& texts) {
  CLI::Option* job = command.add_option(
      "--job", texts,
      "One of several jobs that run at the same time: a trace, or the flags of a schedule in quotes, then "
      "@nodes=0-15 or @nodes=0-3+8,offset=2ms (repeatable; docs/jobs.md)");
  job->allow_extra_args(false);
  exclude_run_options(command, *job, false);
  for (const char* const flag : {"--iterations", "--ranks", "--ranks-per-node", "--placement", "--waiting",
                                 "--count", "--ranks-per-socket"})
    job->excludes(command.get_option(flag));
  return job;
}

std::vector<std::filesystem::path> files_of_jobs(const std::vector<std::string>& texts) {
  std::vector<std::filesystem::path> files;
  for (const std::string& text : texts) {
    const JobText job = parse_job(text);
    const WorkloadOptions workload = job.is_trace() ? WorkloadOptions() : parse_workload(job.what);
    std::ranges::copy(
        input_files(workload, {}, job.is_trace() ? std::vector{job.what} : std::vector<std::string>()),
        std::back_inserter(files));
  }
  return files;
}

void with_jobs_on_nodes(const std::vector<std::string>& texts, const ProgramOptions& program,
                        const PlatformOptions& platform_options,
                        const std::function<void(const JobsOnNodes&)>& use) {
  Preparation(texts, program, platform_options, use).run();
}

output::Table compare_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                           const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                           int processes) {
  output::Table table;
  with_jobs_on_nodes(texts, program, platform_options, [&](const JobsOnNodes& ready) {
    Progress progress("simulating", ready.jobs.size() + 1);
    const std::vector<replay::SharedJobTimes> times = replay_side_by_side(
        ready.jobs, processes, replay, [&](std::size_t finished) { progress.show(finished); });
    progress.clear();
    table = table_of(ready, times);
    table.notes = notes_of(ready, replay);
  });
  return table;
}

nlohmann::json report_of_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                              const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                              int processes) {
  nlohmann::json data;
  with_jobs_on_nodes(texts, program, platform_options, [&](const JobsOnNodes& ready) {
    Progress progress("simulating", ready.jobs.size() + 1);
    data = report::jobs_report_data({.jobs = ready.jobs,
                                     .nodes = ready.nodes,
                                     .replay = replay,
                                     .processes = processes,
                                     .notes = notes_of(ready, replay)},
                                    [&](std::size_t finished) { progress.show(finished); });
    progress.clear();
  });
  return data;
}

}  // namespace finegrain::cli
