// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/job_texts.hpp"
#include "sim/cli/jobs_comparison.hpp"
#include "sim/cli/program_diff.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/simulated_sensitivities.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/workload.hpp"
#include "sim/policy/idle_ranks.hpp"
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
  std::string from;
  std::vector<std::string> diff;  ///< before, after
  WorkloadOptions workload;
  PlatformOptions platforms;
  ProgramOptions program;
  std::optional<int> focus;
  bool is_by_given = false;
  bool sensitivity = false;
  bool tolerance = false;
  replay::ReplayOptions replay;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string out;
  bool force = false;
  bool prints_data = false;
};

/// Runs, which questions point into.
struct Runs {
  std::deque<Schedule> schedules;
  std::deque<problem::Placement> placements;
  std::deque<std::vector<pattern::RankCounts>> counts;
  std::deque<Measurement> measurements;
};

/// A run that was recorded, where it was recorded.
answer::Question recorded_run(const std::string& path, const ReportFlags& options,
                              const platform::Platform& platform, Runs& runs) {
  const Trace trace(path);
  const Manifest& manifest = trace.manifest();
  Schedule& schedule = runs.schedules.emplace_back(schedule_of(trace));
  const auto listed = listed_placement({&platform, 1}, options.workload, schedule.run);
  const problem::Placement& placement = runs.placements.emplace_back(
      listed ? *listed : placement_on({&platform, 1}, placement_rule(options.workload), schedule));
  const auto pattern = pattern_of_trace(options.workload.problems, schedule.run, path);
  const auto cpu = manifest.environment.find("cpu");
  answer::Question question{
      .job = {.schedule = &schedule, .platform = &platform, .placement = &placement},
      .closed_form = model::ClosedForm::as_published,
      .counts = runs.counts.emplace_back(counts_of(pattern, schedule.run, placement)),
      .measurement = &runs.measurements.emplace_back(measure(trace)),
      .recording = answer::Recording{
          .trace = std::filesystem::path(path).filename().string(),
          .machine = cpu == manifest.environment.end() ? "" : cpu->second,
          .oversubscribed = manifest.oversubscribed,
          .elsewhere = placement_rule(options.workload) == graph::PlacementRule::block && !listed
                           ? elsewhere(manifest, platform.file)
                           : "its ranks were placed otherwise"}};
  if (question.recording->elsewhere.empty())
    question.recording->elsewhere = disturbed(manifest, *question.measurement);
  check_cores({&schedule.run, 1}, {&platform, 1}, options.platforms, listed);
  return question;
}

/// The first run with that many ranks, or the one with most.
std::size_t focus_of(const std::vector<answer::Question>& questions, std::optional<int> ranks) {
  if (!ranks) return report::largest_of(questions);
  const auto found = std::ranges::find(
      questions, *ranks, [](const answer::Question& question) { return question.job.schedule->run.ranks; });
  if (found != questions.end()) return static_cast<std::size_t>(found - questions.begin());
  throw InputError("--focus", fmt::format("no run has {}", format_count(*ranks, "rank")),
                   "Name one of those in --ranks, or of a trace");
}

/// Adds what the run would gain or lose, if that was asked for.
void add_sensitivity(nlohmann::json& data, const replay::ReplayJob& job, const ReportFlags& options) {
  const auto add = [&](const char* section, sensitivity::Question question) {
    question.processes = options.jobs;
    data[section] =
        report::sensitivity_data(simulated_sensitivities(job, options.replay, question), question);
  };
  if (options.sensitivity) add("sensitivity", {});
  if (!options.tolerance) return;
  sensitivity::Question worse{.factors = {}};
  for (const double times : {100., 50., 20., 10., 5., 3., 2., 1.5, 1.2, 1.1, 1.05})
    worse.factors.push_back(1 / times);
  for (const double longer : {0.01, 0.02, 0.05})
    worse.speedups.push_back(1 / (1 + longer));
  add("tolerance", worse);
}

/// What the page shows of schedules and of recordings of our kernels.
nlohmann::json data_of_runs(const ReportFlags& options) {
  ProgramOptions of_programs = options.program;
  if (!options.traces.empty()) of_programs.recorded_on.clear();  // it is of all traces
  refuse_program_options(of_programs);
  const std::vector<platform::Platform> platforms = read_platforms(options.platforms);
  std::optional<platform::Platform> recorded_on;
  if (!options.program.recorded_on.empty())
    recorded_on = platform::read_platform(options.program.recorded_on, options.platforms.overrides);
  Runs runs;
  std::vector<answer::Question> questions;
  for (const std::string& trace : options.traces)
    questions.push_back(recorded_run(trace, options, recorded_on ? *recorded_on : platforms.front(), runs));
  const auto given =
      std::ranges::find_if(options.workload.problems, [](const auto& one) { return !one.second.empty(); });
  const bool is_given = given != options.workload.problems.end();
  const bool only_traces = options.workload.ranks.empty() && !options.traces.empty() &&
                           (!is_given || pattern::pattern_of_flag(given->first)->is_file());
  std::shared_ptr<const pattern::Pattern> pattern;
  std::string problem;
  std::vector<std::string> notes;
  if (only_traces) {
    pattern = pattern_of_trace(options.workload.problems, runs.schedules.front().run, options.traces.front());
    problem = is_given ? pattern->title() : questions.front().recording->trace;
    if (pattern) notes = pattern->notes();
  } else {
    const Workload workload(options.workload, platforms);
    check_cores(workload, platforms, options.platforms);
    std::vector<std::vector<pattern::RankCounts>> counts = workload.counts();
    const std::size_t recorded = runs.schedules.size();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Run& run = workload.runs()[i];
      runs.placements.push_back(workload.place(run, counts[i]));
      runs.schedules.push_back(workload.schedule(run, counts[i]));
      runs.counts.push_back(std::move(counts[i]));
    }
    for (const auto& [run, platform] : workload.by_platforms())
      questions.push_back({.job = {.schedule = &runs.schedules[recorded + run],
                                   .platform = &platforms[platform],
                                   .placement = &runs.placements[recorded + run]},
                           .closed_form = model::ClosedForm::as_published,
                           .counts = runs.counts[recorded + run]});
    problem = workload.name();
    pattern = workload.pattern();
    notes = oversubscription_notes(workload, platforms);
    std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(notes));
    std::ranges::move(derived_notes(workload, options.platforms), std::back_inserter(notes));
    std::ranges::copy(workload.notes(), std::back_inserter(notes));
  }
  // The platform of the traces comes last on the page, where it is none of the others.
  if (recorded_on)
    std::rotate(questions.begin(), questions.begin() + std::ssize(options.traces), questions.end());
  std::ranges::move(energy_notes(platforms, options.replay.energy), std::back_inserter(notes));
  std::vector<Run> all;
  for (const Schedule& schedule : runs.schedules)
    all.push_back(schedule.run);
  std::ranges::move(policy::idle_ranks_notes(all), std::back_inserter(notes));
  const std::size_t focus = focus_of(questions, options.focus);

  std::optional<Progress> progress;
  nlohmann::json data = report::report_data(questions, focus, pattern.get(), options.jobs, options.replay,
                                            [&](std::size_t finished, std::size_t simulations) {
                                              if (!progress) progress.emplace("simulating", simulations);
                                              progress->show(finished);
                                            });
  if (progress) progress->clear();
  data["problem"] = problem;
  data["notes"] = notes;
  add_sensitivity(data, questions[focus].job, options);
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
    traces.push_back(open_trace(path, options.program.names));
  const std::size_t focus = focus_of(traces, options.focus);
  std::vector<nlohmann::json> pages;
  for (std::size_t i = 0; i < traces.size(); ++i)
    pages.push_back(report_of_program(traces[i], std::filesystem::path(options.traces[i]).filename().string(),
                                      options.program, options.workload, options.platforms, options.replay,
                                      options.jobs, i == focus));
  nlohmann::json data = report::data_of_recordings(std::move(pages), focus);
  if (options.sensitivity || options.tolerance)
    with_program_job(
        traces[focus], options.traces[focus], options.program, options.workload, options.platforms,
        [&](const replay::ReplayJob& job, const std::vector<std::string>& /*said by the report already*/) {
          add_sensitivity(data, job, options);
        });
  return data;
}

/// All of a file. @throws InputError if it cannot be read
std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(path, "cannot be read", "Name a file that compare wrote as JSON");
  return text;
}

nlohmann::json data_of(const ReportFlags& options) {
  if (!options.from.empty()) return report::data_of_kept(text_of_file(options.from), options.from);
  if (!options.diff.empty())
    return diff_page_data({.before = options.diff.front(),
                           .after = options.diff.back(),
                           .names = {.by = options.is_by_given ? options.program.names.by : "",
                                     .skipped = options.program.names.skipped},
                           .workload = options.workload,
                           .platform = options.platforms,
                           .replay = options.replay,
                           .processes = options.jobs});
  if (!options.jobs_on_nodes.empty())
    return report_of_jobs(options.jobs_on_nodes, options.program, options.platforms, options.replay,
                          options.jobs);
  return are_of_programs(options) ? data_of_programs(options) : data_of_runs(options);
}

/// @throws InputError where there is an option that is not one of these
void refuse_others(const CLI::App& command, const std::vector<std::string>& known, const char* reason) {
  for (const CLI::Option* option : command.get_options())
    if (const std::string name = option->get_name();
        option->count() > 0 && std::ranges::find(known, name) == known.end())
      throw InputError(name, reason, "Leave it out");
}

/// With --from nothing is simulated, and --diff need not simulate; without them a platform is needed.
void check_options(const CLI::App& command, const ReportFlags& options) {
  if (options.out.empty() && !options.prints_data) throw CLI::RequiredError("--out");
  if (!options.from.empty()) {
    refuse_others(command, {"--from", "--out", "--data", "--force"},
                  "it asks for a simulation (--from draws answers that were kept)");
  } else if (!options.diff.empty()) {
    refuse_others(command,
                  {"--diff", "--platform", "--set", "--ranks-per-node", "--by", "--skip-frames",
                   "--processes", "--out", "--data", "--force"},
                  "it is not of what --diff compares");
  } else if (command.count("--platform") == 0) {
    throw CLI::RequiredError("--platform");
  }
}

void run(const ReportFlags& options) {
  if (options.prints_data) {
    fmt::print("{}\n", report::text_of(data_of(options)));
    return;
  }
  // What cannot be written is said before anything is simulated.
  std::vector<std::filesystem::path> inputs =
      input_files(options.workload, options.platforms, options.diff.empty() ? options.traces : options.diff);
  std::ranges::move(files_of_jobs(options.jobs_on_nodes), std::back_inserter(inputs));
  for (const std::string& input :
       {options.program.recorded_on, options.program.compute_scale_from, options.from})
    if (!input.empty()) inputs.emplace_back(input);
  AtomicFile file(options.out, report::page_kind(), {std::move(inputs), options.force});
  nlohmann::json data = data_of(options);
  data["version"] = version();
  const std::string page = report::page_of(data);
  file.write(page);
  file.commit();
  const std::string what = data.contains("diff")   ? "2 recordings"
                           : data.contains("jobs") ? format_count(data["jobs"].size(), "job")
                                                   : format_count(data["runs"].size(), "run");
  const std::size_t platforms = data["platforms"].size();
  fmt::print("{}: {}, of {}{}. Open it in a browser\n", printable(options.out),
             format_size(static_cast<double>(page.size())), what,
             platforms == 0 ? "" : fmt::format(" on {}", format_count(platforms, "platform")));
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
  command->get_option("--platform")->required(false);
  command->add_option(
      "--from", options->from,
      "Draw answers that were kept, without a simulation: what compare --format json, or compare "
      "--write answers.json, wrote. The page has what concerns whole runs and their phases, "
      "and no single ranks");
  command
      ->add_option("--diff", options->diff,
                   "Two recordings of a program, before and after a change of it: draw what takes longer, by "
                   "place, cause and rank, as finegrain diff says it")
      ->type_name("BEFORE AFTER")
      ->expected(2);
  CLI::Option* focus = command->add_option(
      "--focus", options->focus,
      "Draw the ranks of the run that has this many ranks, on its first platform. Default: the largest run");
  CLI::Option* sensitivity = command->add_flag(
      "--sensitivity", options->sensitivity,
      "Also what that run would gain if one number were better (finegrain sensitivity): three more "
      "simulations for each number");
  CLI::Option* tolerance = command->add_flag("--tolerance", options->tolerance,
                                             "Also how much worse each number may be until that run takes 1, "
                                             "2 and 5 % longer, as curves: up to 68 more "
                                             "simulations for each number");
  CLI::Option* efficiency =
      command
          ->add_flag("--efficiency", options->program.efficiency,
                     "Recorded program: also the tree of its efficiencies (docs/efficiency.md), and with "
                     "several recordings its scalability. Simulates each run once more on each platform")
          ->needs(trace);
  add_one_flow_per_message(*command, options->replay);
  add_resume(*command, options->replay);
  add_energy_options(*command, options->replay.energy);
  add_job_option(*command, options->jobs_on_nodes)
      ->excludes(trace)
      ->excludes(focus)
      ->excludes(sensitivity)
      ->excludes(tolerance)
      ->excludes(efficiency);
  add_processes_option(*command, options->jobs);
  CLI::Option* out = command->add_option("--out", options->out, "HTML file to write");
  command->add_flag("--data", options->prints_data, "Print what the page would show, as JSON, and write none")
      ->excludes(out);
  add_force(*command, options->force);
  command->footer(
      "Example: finegrain report --matrix heart.fgm --ranks 16,64,256 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml,platforms/hdr_infiniband.xml --out report.html\n"
      "         finegrain report --trace trace --matrix heart.fgm --platform this-machine.xml --out "
      "report.html\n"
      "         finegrain report --trace on_16 --trace on_32 --platform abel --out scaling.html\n"
      "         finegrain report --from answers.json --out report.html\n"
      "         finegrain report --diff before.trace after.trace --platform abel --out diff.html\n"
      "         finegrain report --platform abel --job '--heat 2000x4000 --ranks 32 --iterations "
      "100@nodes=0-1' "
      "\\\n"
      "           --job trace@nodes=2-3,offset=2ms --out jobs.html");
  command->callback([command, options] {
    check_options(*command, *options);
    options->is_by_given = command->count("--by") > 0;
    run(*options);
  });
}

}  // namespace finegrain::cli
