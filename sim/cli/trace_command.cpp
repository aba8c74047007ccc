// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/answer.hpp"
#include "sim/cli/call_names.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/trace_export.hpp"
#include "sim/cli/trace_import.hpp"
#include "sim/cli/trace_show.hpp"
#include "sim/cli/trace_verify.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/policy/policy.hpp"
#include "traces/diff.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"
#include "traces/packed_trace.hpp"
#include "traces/salvage.hpp"
#include "traces/schedule_in_program.hpp"
#include "traces/trace_reader.hpp"
#include "traces/verify.hpp"

namespace finegrain::cli {
namespace {

struct TraceFlags {
  std::string trace;
  std::string other;
  WorkloadOptions workload;      ///< what ran
  bool asks_for_policy = false;  ///< by more flags than those of problems
  bool schedule = false;
  std::string out;
  bool force = false;
  std::optional<int> rank;
  std::optional<std::int64_t> iteration;
  SelectionOptions window;
  CallNames names;
  std::size_t limit = 20;
  std::string format = "table";
  std::string table;
};

/// The schedule that the trace's run should have had, made from what ran, not from what was recorded.
Schedule expected_schedule(const TraceFlags& options, const Run& run) {
  const auto pattern = pattern_of_trace(options.workload.problems, run, options.trace);
  if (!pattern) {
    const std::string flag = pattern::pattern_kind(run).flag();
    throw InputError(
        "--schedule", fmt::format("{} ran on a {} (it decides the messages)", options.trace, flag),
        fmt::format("Give it: --{}: {}", flag, pattern::pattern_kind(run).describe(run.problem)));
  }
  return policy::make_schedule(*pattern, run);
}

output::Cell count_or_none(const std::optional<int>& value) {
  return value ? output::Cell(std::int64_t{*value}) : output::Cell();
}

/// Prints what was compared, and what differs. @throws InputError if anything does
void print_diff(const TraceFlags& options, const TraceDiff& result, const std::string& compared) {
  const output::Format format = output::parse_format(options.format);
  if (result.equal() && format == output::Format::table) {
    fmt::print("equal: {}\n", compared);
    return;
  }
  output::Table table{fmt::format("{}: {}", result.equal() ? "equal" : "compared", compared),
                      {{"rank", "rank"},
                       {"iteration", "iteration"},
                       {"phase", "phase"},
                       {"position", "position"},
                       {"differs", "differs"},
                       {"first", "first"},
                       {"second", "second"}},
                      {},
                      {}};
  for (std::size_t d = 0; d < std::min(options.limit, result.differences.size()); ++d) {
    const Difference& difference = result.differences[d];
    table.rows.push_back({std::int64_t{difference.rank},
                          difference.iteration ? output::Cell(*difference.iteration) : output::Cell(),
                          count_or_none(difference.region), count_or_none(difference.position),
                          std::string(difference.aspect), difference.first, difference.second});
  }
  if (!result.equal()) {
    table.notes.push_back(fmt::format("{} of {} differences", table.rows.size(), result.difference_count));
    table.notes.emplace_back(
        "phase and position count from 0; missing: only the first has it; extra: only the second");
  }
  print(std::cout, {table}, format);
  if (!result.equal()) {
    throw InputError(
        options.trace,
        fmt::format("differs from {} in {} places", options.other.empty() ? "the schedule" : options.other,
                    result.difference_count),
        "See the list on standard output");
  }
}

/// A recorded program with the schedule of what the flags say.
void diff_with_schedule(const TraceFlags& options, const Trace& trace) {
  WorkloadOptions workload = options.workload;
  const Run& recorded = trace.manifest().run;
  if (!workload.ranks.empty() && workload.ranks != std::vector{recorded.ranks})
    throw InputError("--ranks", fmt::format("{} has {}", options.trace, recorded.ranks), "Leave --ranks out");
  workload.ranks = {recorded.ranks};
  if (!workload.ranks_per_node) workload.ranks_per_node = recorded.ranks_per_node;
  const Workload what(workload);
  const Schedule schedule = what.schedule(what.runs().front());
  const ScheduleInProgram found = with_progress("comparing rank", recorded.ranks, [&](const OnRank& on_rank) {
    return find_schedule(RecordedPrograms(trace), schedule, on_rank);
  });
  print_diff(
      options, found.diff,
      fmt::format("{} of the schedule in a row, on {} with {} transfers: kind, peer, "
                  "bytes sent, and order; not compared: {} other transfers and {} collective operations of "
                  "the program, tags, and waits",
                  format_count(found.iterations, "iteration"), format_count(found.diff.ranks, "rank"),
                  found.transfers, found.other_transfers, found.collectives));
}

void diff(const TraceFlags& options) {
  const Trace first(options.trace);
  if (options.other.empty()) {
    if (!first.knows_iterations()) return diff_with_schedule(options, first);
    if (options.asks_for_policy)
      throw InputError(options.trace, "it says itself what ran", "Give the file of its problem only");
  }
  const TraceDiff result =
      with_progress("comparing rank", first.manifest().run.ranks, [&](const OnRank& on_rank) {
        if (!options.other.empty())
          return diff(RecordedPrograms(first), RecordedPrograms(Trace(options.other)), on_rank);
        return diff(RecordedPrograms(first),
                    SchedulePrograms(expected_schedule(options, first.manifest().run)), on_rank);
      });
  // Ranks of a program may make different numbers of calls, so these are of all ranks together.
  const std::string parts = first.knows_iterations()
                                ? format_count(result.iterations / std::max(1, result.ranks), "iteration")
                                : format_count(result.iterations, "call");
  const std::string compared = fmt::format("{} in {} of {}", format_count(result.messages, "message"), parts,
                                           format_count(result.ranks, "rank"));
  print_diff(options, result, compared);
}

void pack(const TraceFlags& options) {
  const std::string out = options.out.empty() ? options.trace + ".tar" : options.out;
  pack_trace(options.trace, out, options.force);
  fmt::print("{}: {}\n", printable(out), format_size(static_cast<double>(std::filesystem::file_size(out))));
  const Verification found = verify_with_progress(Trace(out));
  if (found.is_damaged())
    throw InputError(options.trace, "is damaged, and was packed as it is",
                     "finegrain trace verify says where, and trace salvage keeps what can be read");
  for (const RankCheck& rank : found.ranks)
    if (rank.state == FileState::unfinished)
      return spdlog::warn("{}: is not whole, and was packed as it is: {}", printable(options.trace),
                          rank.problem);
}

void salvage_killed(const TraceFlags& options) {
  const output::Format format = output::parse_format(options.format);
  const std::string out = options.out.empty() ? options.trace + ".salvaged" : options.out;
  const Verification found =
      with_progress("reading rank", Trace(options.trace).manifest().run.ranks,
                    [&](const OnRank& on_rank) { return salvage(options.trace, out, on_rank); });
  output::Table table{fmt::format("{}: salvaged from {}", out, options.trace),
                      {{"rank", "rank"},
                       {"state", "state"},
                       {"readable", "readable iterations"},
                       {"kept", "kept"},
                       {"left_out", "left out"}},
                      {},
                      {}};
  for (std::size_t r = 0; r < found.ranks.size(); ++r) {
    const RankCheck& rank = found.ranks[r];
    table.rows.push_back({static_cast<std::int64_t>(r), std::string(to_string(rank.state)), rank.iterations,
                          found.iterations_of_all, rank.iterations - found.iterations_of_all});
    if (!rank.problem.empty()) table.notes.push_back(rank.problem);
  }
  table.notes.push_back(fmt::format("kept: the first {} of {}, which all ranks have. The others are lost",
                                    found.iterations_of_all,
                                    format_count(found.iterations_expected, "iteration")));
  print(std::cout, {table}, format);
}

CLI::App* add_subcommand(CLI::App& command, const std::shared_ptr<TraceFlags>& options, const char* name,
                         const char* description) {
  CLI::App* subcommand = command.add_subcommand(name, description);
  subcommand->add_option("TRACE", options->trace, "Folder of a recording, or the file that pack made of it")
      ->required();
  return subcommand;
}

}  // namespace

void add_trace_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("trace",
                         "Says what is in a recorded run: every message of every rank and iteration, with\n"
                         "the bytes and the times. Compares it with another, or with the schedule it\n"
                         "should have followed; checks it for damage; makes one file of it; salvages what\n"
                         "a killed run of finegrain's kernels recorded. That of a killed MPI program is\n"
                         "read as it is: by info, show, graph, replay, compare, report and sensitivity.");
  command->require_subcommand(1);
  command->footer(
      "Example: finegrain trace info runs/heart\n"
      "The files, byte by byte: docs/trace-format.md.");
  const auto options = std::make_shared<TraceFlags>();

  auto* info_command =
      add_subcommand(*command, options, "info",
                     "What ran, on what, its size, and the time of an iteration (microseconds).\n"
                     "Exit code 1 if it is damaged; a run that was killed is not damage.");
  add_call_names(*info_command, options->names);
  add_format_option(*info_command, options->format);
  info_command->footer(
      "Example: finegrain trace info runs/heart\n"
      "         finegrain trace info trace --by place");
  info_command->callback(
      [options] { show_info(options->trace, options->names, output::parse_format(options->format)); });

  auto* show_command =
      add_subcommand(*command, options, "show",
                     "Where the time goes: each phase over all ranks and iterations. With --rank or\n"
                     "--iteration, one iteration's phases and messages (microseconds from its start).\n"
                     "With --from, --until or --ranks, what these ranks do in that time.");
  auto* rank = show_command->add_option("--rank", options->rank,
                                        "Rank, counted from 0 (default 0 if --iteration is given)");
  auto* iteration = show_command->add_option("--iteration", options->iteration,
                                             "Iteration, counted from 0 (default 0 if --rank is given)");
  add_selection_options(*show_command, options->window, "A window of time: ");
  for (const char* const flag : {"--from", "--until", "--ranks"})
    show_command->get_option(flag)->excludes(rank)->excludes(iteration);
  add_call_names(*show_command, options->names);
  add_format_option(*show_command, options->format);
  add_table_choice(*show_command, options->table, {"phases", "messages"});
  show_command->footer(
      "Example: finegrain trace show runs/heart --rank 1 --iteration 10\n"
      "         finegrain trace show runs/heart --from 20ms --until 21ms --ranks 0..3");
  show_command->callback([options, show_command] {
    const output::Format format = output::parse_format(options->format);
    if (!options->table.empty() && !options->rank && !options->iteration)
      throw InputError("--table", "is for one iteration, which has two tables", "Give --rank or --iteration");
    if (show_command->count("--from") + show_command->count("--until") + show_command->count("--ranks") > 0)
      return show_window(options->trace, options->names, options->window, format);
    if (options->rank || options->iteration)
      return show_iteration(options->trace, options->names, options->rank.value_or(0),
                            options->iteration.value_or(0), options->table, format);
    show_phases(options->trace, format);
  });

  auto* diff_command = add_subcommand(
      *command, options, "diff",
      "Compares operation by operation, without the times: work, messages (kind, peer, bytes,\n"
      "repeat, tag, ...), waits and barriers, and the names of phases. A recorded program is compared\n"
      "with the schedule of a pattern and a policy: whether its ranks have the schedule's transfers in\n"
      "a row. Exit code 1 if anything but times differs. What takes longer in a changed program:\n"
      "finegrain diff.");
  auto* other = diff_command->add_option("OTHER", options->other, "Trace to compare with");
  add_workload_options(*diff_command, options->workload);
  for (const char* const flag : {"--placement", "--threads"})  // they change no message
    diff_command->remove_option(diff_command->get_option(flag));
  auto* schedule =
      diff_command->add_flag("--schedule", options->schedule, "Compare with the schedule of the same run");
  schedule->excludes(other);
  diff_command->add_option("--limit", options->limit, "Differences to list (at most 1000)")
      ->capture_default_str();
  add_format_option(*diff_command, options->format);
  diff_command->footer(
      "Example: finegrain trace diff runs/heart runs/heart-again\n"
      "         finegrain trace diff runs/heart --matrix heart.fgm\n"
      "         finegrain trace diff recorded_program --matrix heart.fgm --policy NAME");
  diff_command->callback([options, diff_command, other, schedule] {
    const bool has_file = std::ranges::any_of(options->workload.problems,
                                              [](const auto& problem) { return !problem.second.empty(); });
    if (other->empty() && !has_file && schedule->empty())
      throw CLI::RequiredError("OTHER, --schedule, or the file it ran on");
    options->asks_for_policy =
        std::ranges::any_of(options->workload.settings,
                            [](const auto& setting) { return !setting.second.empty(); }) ||
        diff_command->count("--policy") + diff_command->count("--transfer") +
                diff_command->count("--completion") + diff_command->count("--ranks") +
                diff_command->count("--ranks-per-node") >
            0;
    if (!other->empty() && has_file) throw CLI::ExcludesError("OTHER", "the file that the trace ran on");
    diff(*options);
  });

  auto* verify_command =
      add_subcommand(*command, options, "verify",
                     "Reads all of it: checksums, ends, iterations, and that every send has its\n"
                     "receive, with the same tag and communicator. A recorded program is also executed\n"
                     "without its times: messages that are longer than their receives, ranks whose\n"
                     "collectives differ, and ranks that wait for ever are named. Exit code 1 if\n"
                     "anything is damaged, missing or does not fit.");
  add_format_option(*verify_command, options->format);
  add_table_choice(*verify_command, options->table, {"ranks", "pairs", "too_long", "collectives", "waiting"});
  verify_command->footer("Example: finegrain trace verify runs/heart");
  verify_command->callback([options] {
    show_verification(options->trace, options->table, output::parse_format(options->format));
  });

  auto* pack_command =
      add_subcommand(*command, options, "pack",
                     "Makes one file of a recording's folder: a plain tar, the same bytes each time.\n"
                     "Every subcommand takes this file instead of the folder.");
  pack_command->add_option("--out", options->out, "File to write (default: TRACE.tar)");
  add_force(*pack_command, options->force);
  pack_command->footer("Example: finegrain trace pack runs/heart --out heart.tar");
  pack_command->callback([options] { pack(*options); });

  auto* salvage_command =
      add_subcommand(*command, options, "salvage",
                     "Makes a whole trace of what a killed recording left. It holds the iterations that all\n"
                     "ranks had written. Says what is lost. Does not change the original. It is for\n"
                     "runs of finegrain's kernels: what a killed MPI program recorded is read as it is.");
  salvage_command->add_option("--out", options->out, "New folder (default: TRACE.salvaged)");
  add_format_option(*salvage_command, options->format);
  salvage_command->footer("Example: finegrain trace salvage runs/heart --out runs/heart-salvaged");
  salvage_command->callback([options] { salvage_killed(*options); });

  add_trace_export(*command);
  add_trace_import(*command);
  add_trace_scale(*command);
}

}  // namespace finegrain::cli
