// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/job_texts.hpp"
#include "sim/cli/jobs_comparison.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/simulated_sensitivities.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/workload.hpp"
#include "sim/report/page.hpp"
#include "sim/report/program_report.hpp"
#include "sim/report/report_data.hpp"
#include "sim/report/sensitivity_data.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct ReportFlags {
  std::vector<std::string> traces;
  std::vector<std::string> jobs_on_nodes;
  WorkloadOptions workload;
  PlatformOptions platforms;
  ProgramOptions program;
  std::optional<int> focus;
  bool sensitivity = false;
  replay::ReplayOptions replay;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string out;
  bool force = false;
};

/// A run that was recorded, where it was recorded.
report::ReportRun recorded_run(const std::string& path, const ReportFlags& options,
                               const platform::Platform& platform) {
  const Trace trace(path);
  const Manifest& manifest = trace.manifest();
  Schedule schedule = schedule_of(trace);
  const problem::Placement placement =
      placement_on({&platform, 1}, placement_rule(options.workload), schedule);
  report::ReportRun run{
      .schedule = std::move(schedule), .placement = placement, .counts = {}, .recorded = {}};
  const auto pattern = pattern_of_trace(options.workload.problems, run.schedule.run, path);
  run.counts = counts_of(pattern, run.schedule.run, placement);
  const auto cpu = manifest.environment.find("cpu");
  run.recorded = {.trace = std::filesystem::path(path).filename().string(),
                  .machine = cpu == manifest.environment.end() ? "" : cpu->second,
                  .measurement = measure(trace),
                  .oversubscribed = manifest.oversubscribed,
                  .elsewhere = placement_rule(options.workload) == graph::PlacementRule::block
                                   ? elsewhere(manifest, platform.file)
                                   : "its ranks were placed otherwise"};
  if (run.recorded->elsewhere.empty())
    run.recorded->elsewhere = disturbed(manifest, run.recorded->measurement);
  check_cores({&run.schedule.run, 1}, {&platform, 1}, options.platforms);
  return run;
}

/// The run with that many ranks, or the one with most.
std::size_t focus_of(const std::vector<report::ReportRun>& runs, std::optional<int> ranks) {
  const auto ranks_of = [](const report::ReportRun& run) { return run.schedule.run.ranks; };
  const auto found =
      ranks ? std::ranges::find(runs, *ranks, ranks_of) : std::ranges::max_element(runs, {}, ranks_of);
  if (found != runs.end()) return static_cast<std::size_t>(found - runs.begin());
  throw InputError("--focus", fmt::format("no run has {}", format_count(*ranks, "rank")),
                   "Name one of those in --ranks, or of a trace");
}

/// Adds what the run would gain, if that was asked for.
void add_sensitivity(nlohmann::json& data, const replay::ReplayJob& job, const ReportFlags& options) {
  if (!options.sensitivity) return;
  sensitivity::Question question;
  question.processes = options.jobs;
  data["sensitivity"] =
      report::sensitivity_data(simulated_sensitivities(job, options.replay, question), question);
}

/// What the page shows of schedules and of recordings of our kernels.
nlohmann::json data_of_runs(const ReportFlags& options) {
  ProgramOptions of_programs = options.program;
  if (!options.traces.empty()) of_programs.recorded_on.clear();  // it is of all traces
  refuse_program_options(of_programs);
  report::ReportInput input;
  input.platforms = read_platforms(options.platforms);
  if (!options.program.recorded_on.empty())
    input.recorded_on = platform::read_platform(options.program.recorded_on, options.platforms.overrides);
  input.replay = options.replay;
  input.jobs = options.jobs;
  const platform::Platform& of_traces = input.recorded_on ? *input.recorded_on : input.platforms.front();
  for (const std::string& trace : options.traces)
    input.runs.push_back(recorded_run(trace, options, of_traces));
  const auto given =
      std::ranges::find_if(options.workload.problems, [](const auto& one) { return !one.second.empty(); });
  const bool is_given = given != options.workload.problems.end();
  const bool only_traces = options.workload.ranks.empty() && !options.traces.empty() &&
                           (!is_given || pattern::pattern_of_flag(given->first)->is_file());
  if (only_traces) {
    input.pattern =
        pattern_of_trace(options.workload.problems, input.runs.front().schedule.run, options.traces.front());
    if (is_given) input.problem = input.pattern->title();
    if (input.pattern) input.notes = input.pattern->notes();
  } else {
    const Workload workload(options.workload, input.platforms);
    check_cores(workload, input.platforms, options.platforms);
    std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Run& run = workload.runs()[i];
      problem::Placement placement = workload.place(run, counts[i]);
      input.runs.push_back(
          {workload.schedule(run, counts[i]), std::move(placement), std::move(counts[i]), {}});
    }
    for (const auto& [run, platform] : workload.by_ranks())
      input.runs[input.runs.size() - counts.size() + run].platforms.push_back(platform);
    input.problem = workload.name();
    input.pattern = workload.pattern();
    input.notes = oversubscription_notes(workload, input.platforms);
    std::ranges::move(unlike_nodes_notes(input.platforms), std::back_inserter(input.notes));
    std::ranges::move(derived_notes(workload, options.platforms), std::back_inserter(input.notes));
    std::ranges::copy(workload.notes(), std::back_inserter(input.notes));
  }
  if (input.problem.empty()) input.problem = input.runs.front().recorded->trace;
  std::ranges::move(energy_notes(input.platforms, options.replay.energy), std::back_inserter(input.notes));
  input.focus = focus_of(input.runs, options.focus);

  std::optional<Progress> progress;
  nlohmann::json data = report_data(input, [&](std::size_t finished, std::size_t all) {
    if (!progress) progress.emplace("simulating", all);
    progress->show(finished);
  });
  if (progress) progress->clear();
  const report::ReportRun& focus = input.runs[input.focus];
  const platform::Platform& its_platform =
      focus.recorded && input.recorded_on ? *input.recorded_on : input.platforms.front();
  add_sensitivity(
      data, {.schedule = &focus.schedule, .platform = &its_platform, .placement = &focus.placement}, options);
  return data;
}

/// Whether the traces are of recorded programs. @throws InputError if only some are
bool are_of_programs(const ReportFlags& options) {
  const auto programs = std::ranges::count_if(
      options.traces, [](const std::string& path) { return !Trace(path).knows_iterations(); });
  if (programs > 0 && programs < std::ssize(options.traces))
    throw InputError("--trace", "recorded programs and recorded kernels of finegrain share no page",
                     "Write a report of each kind");
  return programs > 0;
}

/// The number of the trace whose ranks are drawn: the one with --focus ranks, or with most.
std::size_t focus_of(const std::vector<Trace>& traces, std::optional<int> ranks) {
  const auto ranks_of = [](const Trace& trace) { return trace.manifest().run.ranks; };
  const auto found =
      ranks ? std::ranges::find(traces, *ranks, ranks_of) : std::ranges::max_element(traces, {}, ranks_of);
  if (found != traces.end()) return static_cast<std::size_t>(found - traces.begin());
  throw InputError("--focus", fmt::format("no trace has {}", format_count(*ranks, "rank")),
                   "Name the number of ranks of one");
}

/// What the page shows of recordings of a program.
nlohmann::json data_of_programs(const ReportFlags& options) {
  std::vector<Trace> traces;
  for (const std::string& path : options.traces)
    traces.emplace_back(path);
  const std::size_t focus = focus_of(traces, options.focus);
  std::vector<nlohmann::json> pages;
  for (std::size_t i = 0; i < traces.size(); ++i)
    pages.push_back(report_of_program(traces[i], std::filesystem::path(options.traces[i]).filename().string(),
                                      options.program, options.workload, options.platforms, options.replay,
                                      options.jobs, i == focus));
  nlohmann::json data = report::data_of_recordings(std::move(pages), focus);
  if (options.sensitivity)
    with_program_job(
        traces[focus], options.traces[focus], options.program, options.workload, options.platforms,
        [&](const replay::ReplayJob& job, const std::vector<std::string>& /*said by the report already*/) {
          add_sensitivity(data, job, options);
        });
  return data;
}

nlohmann::json data_of(const ReportFlags& options) {
  if (!options.jobs_on_nodes.empty())
    return report_of_jobs(options.jobs_on_nodes, options.program, options.platforms, options.replay,
                          options.jobs);
  return are_of_programs(options) ? data_of_programs(options) : data_of_runs(options);
}

void run(const ReportFlags& options) {
  // What cannot be written is said before anything is simulated.
  std::vector<std::filesystem::path> inputs =
      input_files(options.workload, options.platforms, options.traces);
  std::ranges::move(files_of_jobs(options.jobs_on_nodes), std::back_inserter(inputs));
  for (const std::string& input : {options.program.recorded_on, options.program.compute_scale_from})
    if (!input.empty()) inputs.emplace_back(input);
  AtomicFile file(options.out, report::page_kind(), {std::move(inputs), options.force});
  nlohmann::json data = data_of(options);
  data["version"] = version();
  const std::string page = report::page_of(data);
  file.write(page);
  file.commit();
  fmt::print("{}: {}, of {} on {}. Open it in a browser\n", printable(options.out),
             format_size(static_cast<double>(page.size())),
             data.contains("jobs") ? format_count(data["jobs"].size(), "job")
                                   : format_count(data["runs"].size(), "run"),
             format_count(data["platforms"].size(), "platform"));
}

}  // namespace

void add_report_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report",
                         "Writes one HTML page with charts: measured | simulated | closed form, strong "
                         "scaling, BLOCKSIZE, phases,\n"
                         "who sends to whom, the timeline, and the equations with this run's numbers and "
                         "sliders. With --job: several jobs on\n"
                         "one machine, alone and together. The page needs no server and no network. Printed, "
                         "or saved as a PDF, each\n"
                         "section is a slide.");
  const auto options = std::make_shared<ReportFlags>();
  CLI::Option* trace = command
                           ->add_option("--trace", options->traces,
                                        "Recorded run (repeatable), measured beside the others; SpMV: give "
                                        "its --matrix too. Recordings "
                                        "of one program on different numbers of ranks show how it scales")
                           ->allow_extra_args(false);
  add_program_options(*command, options->program)
      ->description(
          "Platform file of the machine that the traces ran on: they are replayed there. Default: the first "
          "--platform. Of a recorded program: work is scaled by the memory bandwidths of a rank there and on "
          "--platform");
  add_workload_options(*command, options->workload);
  command->add_option("--iterations", options->workload.iterations, "Iterations, if there is no trace")
      ->check(at_least_one())
      ->capture_default_str();
  add_platform_options(*command, options->platforms);
  CLI::Option* focus = command->add_option(
      "--focus", options->focus,
      "Draw the ranks of the run that has this many ranks, on its first platform. Default: the largest run");
  CLI::Option* sensitivity = command->add_flag(
      "--sensitivity", options->sensitivity,
      "Also what that run would gain if one number were better (finegrain sensitivity): three more "
      "simulations for each number");
  add_one_flow_per_message(*command, options->replay);
  add_resume(*command, options->replay);
  add_energy_options(*command, options->replay.energy);
  add_job_option(*command, options->jobs_on_nodes)->excludes(trace)->excludes(focus)->excludes(sensitivity);
  command->add_option("-j,--jobs", options->jobs, "Simulations at the same time. Default: one a core")
      ->check(at_least_one());
  command->add_option("--out", options->out, "HTML file to write")->required();
  add_force(*command, options->force);
  command->footer(
      "Example: finegrain report --matrix heart.fgm --ranks 16,64,256 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml,platforms/hdr_infiniband.xml --out report.html\n"
      "         finegrain report --trace trace --matrix heart.fgm --platform this-machine.xml --out "
      "report.html\n"
      "         finegrain report --trace on_16 --trace on_32 --platform abel --out scaling.html\n"
      "         finegrain report --platform abel --job '--heat 2000x4000 --ranks 32 --iterations "
      "100@nodes=0-1' "
      "\\\n"
      "           --job trace@nodes=2-3,offset=2ms --out jobs.html");
  command->callback([options] { run(*options); });
}

}  // namespace finegrain::cli
