// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <thread>

#include "kernels/problem/placement.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/noise_table.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/replay_tables.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/timeline_tables.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/measurement.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

struct ReplayFlags {
  WorkloadOptions workload;
  PlatformOptions platforms;
  ProgramOptions program;
  std::string trace;
  std::optional<std::int64_t> iterations;
  bool durations = false;
  bool per_rank = false;
  bool per_node = false;
  replay::ReplayOptions replay;
  TimelineOptions timeline;
  NoiseOptions noise;
  int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::string table = {};
  std::string format = "table";
};

/// A trace whose iterations differ, which is read while it is replayed.
struct Streamed {
  explicit Streamed(Trace opened) : trace(std::move(opened)) {}
  Trace trace;
  RecordedPrograms programs{trace};
};

/// What is replayed, and where it comes from.
struct Source {
  std::vector<Schedule> schedules;
  std::vector<problem::Placement> placements;  ///< shape [schedules]
  std::vector<RunOnPlatform> on_platforms;     ///< schedules in place of runs
  replay::PhaseDurations durations;    ///< those of the one schedule of a trace, where they are asked for
  std::unique_ptr<Streamed> streamed;  ///< then the one schedule has no bodies
  std::string name;
  std::vector<std::string> notes = {};  ///< what every answer about it says
};

/// What needs iterations that are alike. @param difference  says which are not
void check_streamed(const ReplayFlags& options, const std::string& difference) {
  const char* const flag =
      options.iterations                                                        ? "--iterations"
      : options.durations                                                       ? "--durations"
      : options.replay.one_flow_per_message                                     ? "--one-flow-per-message"
      : placement_rule(options.workload) == graph::PlacementRule::communication ? "--placement communication"
      : placement_rule(options.workload) == graph::PlacementRule::topology      ? "--placement topology"
                                                                                : nullptr;
  if (flag == nullptr) return;
  throw InputError(flag, fmt::format("it needs equal iterations ({})", difference), "Leave it out");
}

Source source_of_trace(const ReplayFlags& options, std::span<const platform::Platform> platforms) {
  Trace trace(options.trace);
  Source source;
  Schedule schedule{trace.manifest().run, {}};
  try {
    schedule = schedule_of(trace);
  } catch (const IterationsDiffer& error) {
    check_streamed(options, error.what());
    source.streamed = std::make_unique<Streamed>(std::move(trace));
  }
  const bool other_ranks =
      std::ranges::any_of(options.workload.ranks, [&](int ranks) { return ranks != schedule.run.ranks; });
  if (other_ranks) {
    throw InputError("--ranks",
                     fmt::format("{} for a trace of {} (a trace is replayed with the number of ranks "
                                 "that it was recorded with)",
                                 format_count(options.workload.ranks.front(), "rank"), schedule.run.ranks),
                     "Leave --ranks out, or replay a --matrix");
  }
  if (options.iterations) schedule.run.iterations = *options.iterations;
  if (options.workload.ranks_per_node) schedule.run.ranks_per_node = *options.workload.ranks_per_node;
  const auto listed = listed_placement(platforms, options.workload, schedule.run);
  check_cores({&schedule.run, 1}, platforms, options.platforms, listed);
  if (options.durations) source.durations = measure(trace).phases_s;
  source.placements.push_back(listed ? *listed
                                     : placement_on(platforms, placement_rule(options.workload), schedule));
  source.schedules.push_back(std::move(schedule));
  for (std::size_t platform = 0; platform < platforms.size(); ++platform)
    source.on_platforms.push_back({0, platform});
  source.name = fmt::format("trace {}", options.trace);
  source.notes = placement_notes(options.workload);
  return source;
}

Source source_of_workload(const ReplayFlags& options, std::span<const platform::Platform> platforms) {
  if (options.durations) {
    throw InputError("--durations", "nothing was recorded (a matrix has volumes only)", "Give a --trace");
  }
  WorkloadOptions workload_options = options.workload;
  workload_options.iterations = options.iterations.value_or(workload_options.iterations);
  const Workload workload(workload_options, platforms);
  check_cores(workload, platforms, options.platforms);
  Source source;
  source.on_platforms = workload.by_ranks();
  source.name = workload.name();
  source.notes = workload.notes();
  for (const Run& run : workload.runs())
    source.placements.push_back(workload.placement(source.schedules.emplace_back(workload.schedule(run))));
  return source;
}

std::vector<std::filesystem::path> inputs_of(const ReplayFlags& options) {
  std::vector<std::string> traces;
  if (!options.trace.empty()) traces.push_back(options.trace);
  if (!options.program.compute_scale_from.empty()) traces.push_back(options.program.compute_scale_from);
  return input_files(options.workload, options.platforms, traces);
}

void check_one_simulation(std::size_t jobs) {
  if (jobs > 1)
    throw InputError("--platform, --ranks",
                     fmt::format("{} (it is shown for one only)", format_count(jobs, "simulation")),
                     "Give one platform and one number of ranks");
}

/// Whether something else is shown than times and phases.
bool is_asked_otherwise(const ReplayFlags& options) {
  return options.timeline.asked() || !options.noise.noise.empty();
}

/// Flags that would change nothing in a recorded MPI program.
void refuse_schedule_options(const ReplayFlags& options) {
  if (options.iterations || options.durations)
    throw InputError(
        options.iterations ? "--iterations" : "--durations",
        "it is for traces of finegrain's kernels (this one is of an MPI program, which is replayed "
        "as a whole, with its recorded work)",
        "Leave it out");
  if (options.per_rank || options.per_node)
    throw InputError(options.per_rank ? "--per-rank" : "--per-node",
                     "it shows phases, and an MPI program has none (of its functions, means of all ranks are "
                     "shown)",
                     "Leave it out");
}

/// The critical path, or times with noise.
std::vector<output::Table> other_tables(std::span<const replay::ReplayJob> jobs, const ReplayFlags& options,
                                        const std::vector<std::string>& notes) {
  // Another name is refused before the timeline's file is written.
  std::vector<output::Table> names;
  for (const char* const name :
       options.timeline.asked() ? std::vector{"path", "sums", "hand_overs", "links"} : std::vector{"noise"})
    names.emplace_back().name = name;
  chosen(std::move(names), options.table);
  if (options.timeline.asked()) check_one_simulation(jobs.size());
  std::vector<output::Table> tables =
      options.timeline.asked() ? show_timeline(jobs.front(), options.replay, options.iterations,
                                               options.timeline, inputs_of(options))
                               : std::vector{noise_table(jobs, options.noise, options.replay, options.jobs)};
  std::ranges::copy(notes, std::back_inserter(tables.back().notes));
  if (std::string note = describe_work_of_every_call(jobs.front()); !note.empty())
    tables.back().notes.push_back(std::move(note));
  return tables;
}

void run_replay(const ReplayFlags& options) {
  const output::Format format = output::parse_format(options.format);
  const std::vector<platform::Platform> platforms = read_simulated_platforms(options.platforms);
  if (!options.trace.empty()) {
    const Trace trace = open_trace(options.trace, options.program.names);
    if (!trace.knows_iterations()) {
      refuse_schedule_options(options);
      if (is_asked_otherwise(options)) {
        check_one_simulation(platforms.size());
        with_program_job(trace, options.trace, options.program, options.workload, options.platforms,
                         [&](const replay::ReplayJob& job, const std::vector<std::string>& notes) {
                           print_answer(
                               output::chosen(other_tables({&job, 1}, options, notes), options.table),
                               options.table, format);
                         });
        return;
      }
      print_answer(output::chosen(compare_program(trace, options.trace, options.program, options.workload,
                                                  options.platforms, options.replay, options.jobs)
                                      .tables,
                                  options.table),
                   options.table, format);
      return;
    }
  }
  refuse_program_options(options.program);
  Source source =
      options.trace.empty() ? source_of_workload(options, platforms) : source_of_trace(options, platforms);

  std::vector<replay::ReplayJob> jobs;
  for (const auto& [i, platform] : source.on_platforms)
    jobs.push_back({&source.schedules[i], &platforms[platform],
                    options.durations ? &source.durations : nullptr, &source.placements[i],
                    source.streamed ? &source.streamed->programs : nullptr});
  if (is_asked_otherwise(options)) {
    std::vector<std::string> notes = source.notes;
    notes.insert(notes.begin(), source.name + ".");
    print_answer(output::chosen(other_tables(jobs, options, notes), options.table), options.table, format);
    return;
  }
  std::vector<answer::Question> questions;
  for (const replay::ReplayJob& job : jobs)
    questions.push_back({.job = job});
  const std::vector<answer::Answer> answers = evaluate_with_progress(questions, options.jobs, options.replay);
  if (source.streamed) {
    for (const std::vector<std::string>& names : answers.front().simulated->regions) {
      Body& body = source.schedules.front().ranks.emplace_back();
      for (const std::string& name : names)
        body.begin_region(RegionName(name));
    }
  }
  output::Table totals = table_of_totals(answers);
  const Run& run = source.schedules.front().run;
  totals.title = fmt::format("{}: simulated, {}", describe(run), format_count(run.iterations, "iteration"));
  totals.notes.push_back(source.name + ".");
  std::ranges::copy(source.notes, std::back_inserter(totals.notes));
  std::vector<Run> runs;
  for (const Schedule& schedule : source.schedules)
    runs.push_back(schedule.run);
  std::ranges::move(policy::idle_ranks_notes(runs), std::back_inserter(totals.notes));
  for (const replay::ReplayJob& one : jobs)
    for (std::string& note :
         oversubscription_notes({&one.schedule->run, 1}, {one.platform, 1}, {one.placement, 1}))
      if (std::ranges::find(totals.notes, note) == totals.notes.end())
        totals.notes.push_back(std::move(note));
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(totals.notes));
  for (const replay::ReplayJob& one : jobs)
    warn_of_memory(one.schedule->run, {}, *one.placement, *one.platform);
  totals.notes.push_back(options.durations
                             ? "Work: the recorded durations of pack, copy, unpack and compute (medians)."
                             : "Work: bytes moved over each node's memory.");
  totals.notes.push_back(fmt::format("Network: {}.", network_model(options.replay)));
  add_platform_notes(totals, platforms);
  std::ranges::move(energy_notes(platforms, options.replay.energy), std::back_inserter(totals.notes));
  const Grouping grouping = options.per_rank   ? Grouping::rank
                            : options.per_node ? Grouping::node
                                               : Grouping::all;
  std::vector<output::Table> tables = {totals, table_of_phases(answers, grouping)};
  add_waits_table(tables, answers, options.program.waits, options.replay);
  print_answer(output::chosen(std::move(tables), options.table), options.table, format);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("replay",
                         "Simulates a run with SimGrid: what was recorded (--trace), or what a policy makes\n"
                         "of a matrix or a heat grid, on any platform file. Prints the seconds of all\n"
                         "iterations, and the microseconds of each phase in an iteration. Ranks of a node\n"
                         "share its memory and its network; messages share the links they cross.");
  const auto options = std::make_shared<ReplayFlags>();
  CLI::Option* trace = command->add_option(
      "--trace", options->trace, "Trace to replay, a folder or a packed file (see finegrain record)");
  add_workload_options(*command, options->workload);
  exclude_run_options(*command, *trace, false);
  command
      ->add_option("--iterations", options->iterations,
                   "Iterations. Default: as many as recorded; 1000 for a matrix")
      ->check(at_least_one());
  add_platform_options(*command, options->platforms);
  command->add_flag(
      "--durations", options->durations,
      "Replay the trace's recorded seconds of pack, copy, unpack and compute instead of their bytes");
  CLI::Option* per_rank = command->add_flag("--per-rank", options->per_rank, "Phases of every rank");
  command->add_flag("--per-node", options->per_node, "Phases of every node")->excludes(per_rank);
  command
      ->add_option(
          "--tolerance", options->replay.repeat_tolerance,
          "Relative change of an iteration that counts as a repeat; 0 simulates every iteration, and "
          "every call of a recorded program")
      ->check(number_between(0, 1))
      ->capture_default_str();
  add_timeline_options(*command, options->timeline);
  add_noise_options(*command, options->noise);
  add_program_options(*command, options->program);
  add_waits_option(*command, options->program.waits);
  add_one_flow_per_message(*command, options->replay);
  CLI::Option* resume = add_resume(*command, options->replay);
  for (const char* const flag : {"--critical-path", "--timeline"}) {
    command->get_option("--noise")->excludes(command->get_option(flag));
    resume->excludes(command->get_option(flag));  // one simulation, of which nothing is kept
  }
  add_energy_options(*command, options->replay.energy);
  add_processes_option(*command, options->jobs);
  add_table_choice(*command, options->table,
                   {"totals", "phases", "functions", "waits", "contention", "path", "sums", "hand_overs",
                    "links", "noise"});
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain replay --matrix heart.fgm --ranks 64,128 --ranks-per-node 16 --platform "
      "platforms/abel.xml\n"
      "         finegrain replay --trace runs/cg --platform abel --critical-path --timeline cg.json");
  command->callback([options] { run_replay(*options); });
}

}  // namespace finegrain::cli
