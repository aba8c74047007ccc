// SPDX-License-Identifier: MIT
#include "sim/cli/recorded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernels/problem/placement.hpp"
#include "sim/answer/efficiency.hpp"
#include "sim/answer/interval.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/cli/efficiency_tables.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/program_jobs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/report/page.hpp"
#include "sim/report/program_report.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/places/place_names.hpp"
#include "traces/program_summary.hpp"
#include "traces/stops.hpp"

namespace finegrain::cli {
namespace {

/// Functions that took less than this of the time, here and simulated, are left out.
constexpr double least_share = 0.001;

ProgramSummary summarize(const Trace& trace) {
  return with_progress("reading rank", trace.manifest().run.ranks,
                       [&](const OnRank& on_rank) { return summarize_program(trace, on_rank); });
}

/// Platforms may have any name, also one by which their column's key would be another's: "measured", or
/// "abel_late" beside "abel".
std::string free_key(const output::Table& table, std::string platform, std::string_view ending) {
  while (std::ranges::find(table.columns, platform + std::string(ending), &output::Column::key) !=
         table.columns.end())
    platform += "_platform";
  return platform + std::string(ending);
}

/// Where the time goes: a row a function, a column a platform.
output::Table table_of_functions(const ProgramSummary& measured, int ranks,
                                 std::span<const answer::Answer> answers) {
  output::Table table;
  table.name = "functions";
  table.title = "Where the time goes: mean seconds of a rank";
  const int decimals = decimals_for(measured.measured_s);
  table.columns = {{"function", "function"},
                   {"calls", "calls"},
                   {.key = "measured_s",
                    .heading = "measured",
                    .decimals = decimals,
                    .origin = {},
                    .absent = measured.not_measured}};
  std::vector<replay::RegionSeconds> seconds;
  std::vector<replay::RegionSeconds> late;
  std::vector<replay::RegionJoules> joules;
  for (const answer::Answer& answer : answers) {
    const std::string& platform = answer.question.job.platform->name;
    table.columns.push_back({free_key(table, platform, "_s"), platform, decimals, output::Origin::simulated});
    late.push_back(region_late_seconds(*answer.simulated));
    if (!late.back().empty())
      table.columns.push_back(
          {free_key(table, platform, "_late_s"), platform + " late", decimals, output::Origin::simulated});
    if (answer.simulated->energy)
      table.columns.push_back(
          {free_key(table, platform, "_j"), platform + " J", 3, output::Origin::simulated});
    seconds.push_back(region_seconds(*answer.simulated));
    joules.push_back(region_joules(*answer.simulated));
  }
  const auto add = [&](const std::string& name, output::Cell calls, double measured_s) {
    std::vector<output::Cell>& row = table.rows.emplace_back(std::vector<output::Cell>{
        name, std::move(calls),
        measured.not_measured.empty() ? output::Cell(measured_s / ranks) : output::Cell()});
    const auto sum_in = [&](const auto& sums) {
      return sums.contains(name) ? replay::sum_over_ranks(sums.at(name)) : 0.0;
    };
    for (std::size_t job = 0; job < answers.size(); ++job) {
      row.emplace_back(sum_in(seconds[job]) / ranks);
      const double late_s = sum_in(late[job]) / ranks;
      if (!late[job].empty()) row.push_back(late_s > 0 ? output::Cell(late_s) : output::Cell());
      if (answers[job].simulated->energy) row.emplace_back(sum_in(joules[job]));
    }
  };
  add("compute", output::Cell(), measured.work_s);
  double all_s = measured.work_s + measured.lost_s;
  for (const FunctionSummary& function : measured.functions)
    all_s += function.seconds;
  std::vector<double> simulated_s(answers.size(), 0.);
  for (std::size_t job = 0; job < answers.size(); ++job)
    for (const auto& [name, ranks_s] : seconds[job])
      simulated_s[job] += replay::sum_over_ranks(ranks_s);
  for (const FunctionSummary& function : measured.functions) {
    const std::string name(function.name.text());
    bool is_long = function.seconds >= least_share * all_s;
    for (std::size_t job = 0; job < answers.size(); ++job)
      if (const auto there = seconds[job].find(name); there != seconds[job].end())
        is_long = is_long || replay::sum_over_ranks(there->second) >= least_share * simulated_s[job];
    if (is_long) add(name, function.calls, function.seconds);
  }
  if (measured.lost_s >= least_share * all_s && measured.lost_s > 0)
    add("waiting for a core", output::Cell(), measured.lost_s);
  table.notes = {
      "calls: of all ranks; functions that take less than a thousandth of the time everywhere are left out"};
  if (std::ranges::any_of(late, [](const replay::RegionSeconds& of_job) { return !of_job.empty(); }))
    table.notes.emplace_back(
        "late: of these seconds, waiting until the partners of a message or collective had come. A faster "
        "network does not shorten it by itself");
  if (std::ranges::any_of(answers, [](const auto& answer) { return answer.simulated->energy.has_value(); }))
    table.notes.emplace_back(
        "J: joules of all ranks; what the machine draws when idle counts for none of them");
  return table;
}

/// Notes on the measured times and the flags.
std::vector<std::string> notes_of(const ProgramSummary& measured, const Manifest& manifest,
                                  const WorkloadOptions& workload, const ProgramJobs& prepared) {
  std::vector<std::string> notes;
  if (const std::string note = wait_for_cores_note(measured); !note.empty()) notes.push_back(note);
  std::ranges::move(left_out_notes(measured, manifest), std::back_inserter(notes));
  if (const std::string note = first_complete_note(measured); !note.empty()) notes.push_back(note);
  std::ranges::copy(placement_notes(workload), std::back_inserter(notes));
  for (std::size_t job = 0; job < prepared.jobs.size(); ++job)
    std::ranges::copy(oversubscription_notes({&prepared.runs[job].run, 1}, {&prepared.platforms[job], 1},
                                             {&prepared.placements[job], 1}),
                      std::back_inserter(notes));
  std::ranges::copy(measured.problems, std::back_inserter(notes));
  return notes;
}

std::string machine_of(const Manifest& manifest) {
  const auto cpu = manifest.environment.find("cpu");
  return cpu == manifest.environment.end() ? "" : cpu->second;
}

/// A recorded program on platforms, simulated, and what is said of it.
class SimulatedProgram {
 public:
  SimulatedProgram(const Trace& trace, const std::string& name, const ProgramOptions& program,
                   const WorkloadOptions& workload, const PlatformOptions& platform_options,
                   const replay::ReplayOptions& replay, int processes);

  std::span<const answer::Answer> answers() const { return answers_; }
  output::Table totals() const;
  output::Table functions() const;
  std::vector<output::Table> efficiencies(int processes) const;
  /// Adds the efficiency of each answer. @param data  page()
  void add_efficiencies(nlohmann::json& data, int processes) const;
  /// If noise is asked for.
  void add_noise(std::vector<output::Table>& tables, const NoiseOptions& noise, int processes) const {
    add_noise_table(tables, questions_, noise, options_, processes);
  }
  nlohmann::json overview() const { return report::overview_of_program(answers_, measured_, options_); }
  nlohmann::json page(bool draws_ranks) const;

 private:
  std::vector<answer::LocatedEfficiency> located_efficiencies(int processes) const;
  std::vector<std::string> notes() const;

  ProgramJobs prepared_;
  replay::ReplayOptions options_;
  ProgramSummary measured_;
  Schedule as_recorded_;
  problem::Placement nodes_as_recorded_;
  std::vector<std::string> measured_notes_;
  std::vector<answer::Question> questions_;  ///< each platform's
  std::vector<answer::Answer> answers_;
};

SimulatedProgram::SimulatedProgram(const Trace& trace, const std::string& name, const ProgramOptions& program,
                                   const WorkloadOptions& workload, const PlatformOptions& platform_options,
                                   const replay::ReplayOptions& replay, int processes)
    : prepared_(trace, name, program, workload, read_simulated_platforms(platform_options), platform_options),
      options_(replay),
      measured_(summarize(trace)),
      as_recorded_{trace.manifest().run, {}},
      nodes_as_recorded_(as_recorded_.run.ranks, as_recorded_.run.ranks_per_node),
      measured_notes_(notes_of(measured_, trace.manifest(), workload, prepared_)) {
  const answer::Recording recording{.trace = std::filesystem::path(name).filename().string(),
                                    .machine = machine_of(trace.manifest()),
                                    .oversubscribed = trace.manifest().oversubscribed,
                                    .elsewhere = "recorded once, so no errors are shown"};
  for (const replay::ReplayJob& job : prepared_.jobs)
    questions_.push_back({.job = job, .not_measured = measured_.not_measured, .recording = recording});
  replay::ReplayOptions both_works = options_;
  both_works.compares_work = true;
  answers_ = evaluate_with_progress(questions_, processes, both_works);
}

std::vector<std::string> SimulatedProgram::notes() const {
  std::vector<std::string> notes = prepared_.notes();
  std::vector<NoteOnPlatform> of_loops;
  std::vector<NoteOnPlatform> of_wildcards;
  for (const answer::Answer& answer : answers_) {
    const std::string& platform = answer.question.job.platform->name;
    for (const replay::FoldedLoop& loop : answer.simulated->loops)
      of_loops.push_back({platform, describe(loop)});
    if (std::string variation = describe_variation(*answer.simulated); !variation.empty())
      of_loops.push_back({platform, std::move(variation)});
    if (std::string note = describe_wildcards(*answer.simulated); !note.empty())
      of_wildcards.push_back({platform, std::move(note)});
  }
  std::ranges::move(shared_notes(of_loops), std::back_inserter(notes));
  const replay::ReplayResult& first = *answers_.front().simulated;
  if (first.early_end.ranks > 0) notes.push_back(describe(first.early_end, first.total_s));
  if (const replay::UnreceivedMessages& unreceived = first.unreceived;
      unreceived.count > 0 && first.early_end.ranks == 0)
    notes.push_back(fmt::format("no rank receives {} that ranks send; the first: rank {} to rank {}, tag {}",
                                format_count(unreceived.count, "message"), unreceived.sender,
                                unreceived.receiver, unreceived.tag));
  if (std::string kept = describe_kept_calls(first); !kept.empty()) notes.push_back(std::move(kept));
  std::ranges::move(shared_notes(of_wildcards), std::back_inserter(notes));
  for (const answer::Answer& answer : answers_) {
    if (answer.simulated->waits_passed_over > 0)
      notes.push_back(fmt::format(
          "{}: threads of a rank call MPI at once. In the recorded order of their calls, these "
          "algorithms of collectives would let ranks wait for one another forever: after {} for "
          "a collective, ranks went on before its end",
          answer.question.job.platform->name, format_count(answer.simulated->waits_passed_over, "wait")));
  }
  std::ranges::move(energy_notes(prepared_.platforms, options_.energy), std::back_inserter(notes));
  std::ranges::copy(measured_notes_, std::back_inserter(notes));
  return notes;
}

output::Table SimulatedProgram::totals() const {
  std::vector<answer::Answer> answers = {
      {.question = {.job = {.schedule = &as_recorded_, .platform = nullptr, .placement = &nodes_as_recorded_},
                    .simulation = false,
                    .not_measured = measured_.not_measured},
       .simulated = {},
       .closed_form = {}}};
  if (measured_.not_measured.empty()) answers.front().question.measured_s = measured_.measured_s;
  std::ranges::copy(answers_, std::back_inserter(answers));
  output::Table totals = answer::table_of(
      answers, {{"platform", "nodes", "measured_s", "simulated_s", "closed_form_s", "energy_j", "idle_j",
                 "mean_w", "energy_delay_js", "ranks_per_node", "bytes_between_nodes", "late_s", "ranks",
                 "simulated_low_s", "simulated_high_s"}});
  for (output::Column& column : totals.columns)
    if (column.key == "measured_s" || column.key == "simulated_s")
      column.decimals = decimals_for(measured_.measured_s);
  totals.name = "totals";
  const Run& recorded = as_recorded_.run;
  totals.title = fmt::format("{}: seconds, {}", describe(recorded), format_count(recorded.ranks, "rank"));
  const std::string& machine = answers_.front().question.recording->machine;
  totals.notes = {
      measured_.not_measured.empty()
          ? fmt::format("measured: {}; one run, from the end of MPI_Init to the start of MPI_Finalize",
                        machine.empty() ? "the recorded run" : machine)
          : fmt::format("measured: {}", measured_.not_measured),
      simulated_note(options_)};
  std::ranges::move(answer::interval_notes(answers_), std::back_inserter(totals.notes));
  std::ranges::move(notes(), std::back_inserter(totals.notes));
  return totals;
}

output::Table SimulatedProgram::functions() const {
  return table_of_functions(measured_, as_recorded_.run.ranks, answers_);
}

std::vector<answer::LocatedEfficiency> SimulatedProgram::located_efficiencies(int processes) const {
  const Progress progress("simulating an ideal network", answers_.size());
  std::vector<answer::LocatedEfficiency> found = answer::efficiencies_of(
      answers_, processes, options_, [&](std::size_t finished) { progress.show(finished); });
  progress.clear();
  return found;
}

std::vector<output::Table> SimulatedProgram::efficiencies(int processes) const {
  const std::vector<answer::LocatedEfficiency> found = located_efficiencies(processes);
  return {table_of_efficiencies(answers_, found), table_of_regions(answers_, found)};
}

void SimulatedProgram::add_efficiencies(nlohmann::json& data, int processes) const {
  const std::vector<answer::LocatedEfficiency> found = located_efficiencies(processes);
  for (std::size_t i = 0; i < found.size(); ++i)
    data["answers"][i]["efficiency"] = efficiency_data(found[i]);
}

nlohmann::json SimulatedProgram::page(bool draws_ranks) const {
  nlohmann::json data = overview();
  std::vector<std::string> all = notes();
  if (!measured_.not_measured.empty())
    all.insert(all.begin(), fmt::format("measured: {}", measured_.not_measured));
  data["notes"] = all;
  if (draws_ranks) report::add_ranks_of_program(data, answers_, measured_, options_);
  return data;
}

}  // namespace

int decimals_for(double largest_s) {
  return largest_s < 1 ? 6 : 3;
}

CLI::Option* add_program_options(CLI::App& command, ProgramOptions& options) {
  CLI::Option* by = add_call_names(command, options.names);
  CLI::Option* change =
      command
          .add_option(
              "--change", options.changes,
              "Recorded program: simulate it as it would be with other sizes, work, algorithms of "
              "collectives, "
              "messages or waits at some calls, e.g. 'place=halo.c:88 size=x0.5', 'function=MPI_Allreduce "
              "work=x0.8', 'place=halo.c:88 messages=merge' (repeatable; docs/sensitivity.md). A place needs "
              "--by place")
          ->allow_extra_args(false);
  command
      .add_option(
          "--collective", options.collectives,
          "Recorded program: carry out a collective operation by another algorithm than the platform's MPI "
          "would, e.g. allreduce=ring (repeatable)")
      ->allow_extra_args(false);
  command.add_flag(
      "--keep-tasks", options.keep_tasks,
      "Recorded program: receives from any source take what they took in the recording, and each "
      "rank keeps the tasks that it had. Otherwise a master takes what comes first on the "
      "platform, and gives tasks in that order");
  command
      .add_option(
          "--work", options.work,
          "Recorded program: undisturbed leaves out of its work what comes and goes on single ranks, in "
          "loops that all ranks have together; mean takes each rank's mean of all iterations. Default: "
          "undisturbed if ranks shared cores while they were "
          "recorded, else as-recorded")
      ->check(CLI::IsMember({"as-recorded", "undisturbed", "mean"}));
  CLI::Option* scale = command.add_option(
      "--compute-scale", options.compute_scale,
      "Recorded program: how many seconds a second of its work takes on the platform, e.g. 0.5; "
      "by the names of hosts: 0.5,slow-*=1.5");
  CLI::Option* scale_from =
      command
          .add_option("--compute-scale-from", options.compute_scale_from,
                      "Recorded program: a recording of the same program on the platform's machine. The work "
                      "after each function, since each MPI_Pcontrol, is scaled by how long it took there")
          ->excludes(scale)
          ->excludes(change)
          ->excludes(by);  // which functions are alike in both is told by their names
  return command
      .add_option(
          "--recorded-on", options.recorded_on,
          "Recorded program: the platform file of the machine that it ran on. Work is scaled by the memory "
          "bandwidths of a rank there and here. Default: the --platform that was calibrated on that machine, "
          "if there is one")
      ->transform(platform_by_name())
      ->excludes(scale)
      ->excludes(scale_from);
}

void refuse_program_options(const ProgramOptions& options) {
  const char* const flag = options.compute_scale                 ? "--compute-scale"
                           : !options.compute_scale_from.empty() ? "--compute-scale-from"
                           : !options.recorded_on.empty()        ? "--recorded-on"
                                                                 : nullptr;
  if (flag != nullptr)
    throw InputError(flag,
                     "it scales the recorded seconds of an MPI program's work (here, work is bytes, and the "
                     "platform's memory bandwidth says how long they take)",
                     "Leave it out, or change the memory bandwidth in the platform file");
  if (options.names.by != "function")
    throw InputError("--by", "it is of a recorded MPI program's calls (none is here)", "Leave it out");
  if (!options.changes.empty())
    throw InputError("--change", "it changes a recorded MPI program (none is here)", "Leave it out");
  if (!options.work.empty())
    throw InputError("--work", "it is about the times of a recorded MPI program's work (here, work is bytes)",
                     "Leave it out");
  if (options.efficiency)
    throw InputError("--efficiency", "it is of a recorded MPI program (none is here)", "Leave it out");
  if (options.keep_tasks)
    throw InputError("--keep-tasks",
                     "it keeps the order in which a recorded MPI program received (none is here)",
                     "Leave it out");
  if (!options.collectives.empty())
    throw InputError("--collective",
                     "it changes the collective operations of a recorded MPI program (none is here)",
                     "Leave it out");
}

Comparison compare_program(const Trace& trace, const std::string& name, const ProgramOptions& program,
                           const WorkloadOptions& workload, const PlatformOptions& platform_options,
                           const replay::ReplayOptions& replay, int processes, const NoiseOptions& noise) {
  const SimulatedProgram simulated(trace, name, program, workload, platform_options, replay, processes);
  Comparison comparison{{simulated.totals(), simulated.functions()}, report::text_of(simulated.overview())};
  add_waits_table(comparison.tables, simulated.answers(), program.waits, replay);
  if (program.efficiency)
    std::ranges::move(simulated.efficiencies(processes), std::back_inserter(comparison.tables));
  simulated.add_noise(comparison.tables, noise, processes);
  return comparison;
}

nlohmann::json report_of_program(const Trace& trace, const std::string& name, const ProgramOptions& program,
                                 const WorkloadOptions& workload, const PlatformOptions& platform_options,
                                 const replay::ReplayOptions& replay, int processes, bool draws_ranks) {
  const SimulatedProgram simulated(trace, name, program, workload, platform_options, replay, processes);
  nlohmann::json data = simulated.page(draws_ranks);
  if (program.efficiency) simulated.add_efficiencies(data, processes);
  return data;
}

void with_program_job(
    const Trace& trace, const std::string& name, const ProgramOptions& program,
    const WorkloadOptions& workload, const PlatformOptions& platform_options,
    const std::function<void(const replay::ReplayJob&, const std::vector<std::string>&)>& use) {
  const ProgramJobs prepared(trace, name, program, workload, read_simulated_platforms(platform_options),
                             platform_options);
  use(prepared.jobs.front(), prepared.notes());
}

TableOfTrace functions_of_program(const Trace& trace, const std::string& name) {
  const ProgramSummary summary = summarize(trace);
  const Manifest& manifest = trace.manifest();
  output::Table table;
  table.title =
      fmt::format("{}: {}, {}", name, describe(manifest.run), format_count(manifest.run.ranks, "rank"));
  table.columns = {{"function", "function"},
                   {"calls", "calls"},
                   {"seconds", "s a rank", decimals_for(summary.measured_s), output::Origin::measured},
                   {"share_percent", "time %", 1, output::Origin::measured},
                   {"messages", "messages"},
                   {"message_bytes", "bytes", 0}};
  const double ranks = manifest.run.ranks;
  double all_s = summary.work_s + summary.lost_s;
  for (const FunctionSummary& function : summary.functions)
    all_s += function.seconds;
  const auto share = [&](double seconds) {
    return all_s > 0 ? output::Cell(100 * seconds / all_s) : output::Cell();
  };
  table.rows.push_back({std::string("compute"), output::Cell(), summary.work_s / ranks, share(summary.work_s),
                        output::Cell(), output::Cell()});
  if (summary.lost_s > 0)
    table.rows.push_back({std::string("waiting for a core"), output::Cell(), summary.lost_s / ranks,
                          share(summary.lost_s), output::Cell(), output::Cell()});
  for (const FunctionSummary& function : summary.functions)
    table.rows.push_back({std::string(function.name.text()), function.calls, function.seconds / ranks,
                          share(function.seconds),
                          function.messages > 0 ? output::Cell(function.messages) : output::Cell(),
                          function.messages > 0 ? output::Cell(function.message_bytes) : output::Cell()});
  table.notes.push_back(fmt::format("{}; {} sent, put or got, {:.0f} bytes; {:.2f} bytes of the trace a call",
                                    format_count(summary.calls, "call"),
                                    format_count(summary.messages, "message"), summary.message_bytes,
                                    static_cast<double>(summary.file_bytes) /
                                        static_cast<double>(std::max<std::int64_t>(summary.calls, 1))));
  table.notes.emplace_back(
      "s a rank: mean; calls and messages: of all ranks; a receive's bytes: the size of its buffer");
  for (const auto& [what, text] : manifest.environment)
    table.notes.push_back(fmt::format("{}: {}", what, text));
  if (!manifest.complete && !manifest.environment.contains("partial"))
    table.notes.emplace_back(
        "incomplete: the program did not end by MPI_Finalize on all ranks, or its recording stopped");
  if (!manifest.complete || !summary.problems.empty()) {
    if (const std::string where = describe(find_stops(trace, name, places::names_of_places(trace)));
        !where.empty())
      table.notes.push_back(fmt::format("stopped: {} (seconds after the first rank's first call)", where));
  }
  if (const std::string note = wait_for_cores_note(summary); !note.empty()) table.notes.push_back(note);
  std::ranges::copy(summary.problems, std::back_inserter(table.notes));
  // What was not recorded is not damaged.
  return {std::move(table), !summary.problems.empty() && !manifest.environment.contains("partial")};
}

}  // namespace finegrain::cli
