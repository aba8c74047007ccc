// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/gate_findings.hpp"
#include "sim/cli/gate_output.hpp"
#include "sim/cli/gate_ranks.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/program_jobs.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/record_program.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/workload.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"
#include "traces/manifest.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::cli {
namespace {

namespace fs = std::filesystem;

/// A baseline is recorded so many times as often as the present program. That is recorded up to as often if
/// nothing but its work looks changed.
constexpr int times_as_many = 3;

struct GateFlags {
  std::string baseline;
  RecordedCommand recorded;
  int repeat = 5;
  std::vector<int> other_ranks = {};  ///< that are answered for as well
  std::vector<int> at = {};           ///< on which it is recorded for them
  bool keep = false;
  PlatformOptions platforms;
  ProgramOptions program;
  WorkloadOptions workload;
  std::string threshold = "1%";
  bool strict = false;
  std::string format = "table";
  std::string junit = {};
};

/// While it lives, what goes to our stdout goes to stderr: there a recorded program prints, and the answer
/// stays alone. Recordings are not named one by one.
class StdoutAside {
 public:
  StdoutAside() {
    spdlog::set_level(spdlog::level::warn);
    std::fflush(stdout);
    kept_ = ::dup(STDOUT_FILENO);
    if (kept_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutAside() {
    spdlog::set_level(spdlog::level::info);
    if (kept_ < 0) return;
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  StdoutAside(const StdoutAside&) = delete;
  StdoutAside& operator=(const StdoutAside&) = delete;

 private:
  int kept_ = -1;
};

/// "1%", "0.01" @returns the fraction
double threshold_of(const std::string& text) {
  const bool is_percent = text.ends_with('%');
  const std::string number = text.substr(0, text.size() - (is_percent ? 1 : 0));
  double value = -1;
  if (!CLI::detail::lexical_cast(number, value) || !(value >= 0 && value <= 1000))
    throw InputError("--threshold", fmt::format("'{}' is not a share", text), "Give e.g. 1%");
  return is_percent ? value / 100 : value;
}

bool is_trace(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / manifest_file_name, ignored);
}

/// The recordings in a folder, "run1", "run2", ..., or the one that it is itself.
std::vector<fs::path> runs_in(const fs::path& folder) {
  if (is_trace(folder)) return {folder};
  std::vector<fs::path> runs;
  while (is_trace(folder / fmt::format("run{}", runs.size() + 1)))
    runs.push_back(folder / fmt::format("run{}", runs.size() + 1));
  return runs;
}

/// What the recordings before and after the change are on other numbers of ranks: beside the present ones.
fs::path scaled_before(const fs::path& present, int ranks) {
  return present / fmt::format("scaled_before{}", ranks);
}
fs::path scaled_now(const fs::path& present, int ranks) {
  return present / fmt::format("scaled_now{}", ranks);
}

/// Removes the gate's own folders, also of runs that failed, and the folder if nothing else is in it.
void remove_runs(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    std::string kind = entry.path().filename();
    kind.erase(kind.find_last_not_of("0123456789") + 1);
    const bool is_own = kind == "run" || kind == "on" || kind == "scaled_before" || kind == "scaled_now";
    if (is_own && kind != entry.path().filename() && entry.is_directory(ignored))
      fs::remove_all(entry.path(), ignored);
  }
  fs::remove(folder, ignored);
}

/// Runs the program once. @throws InputError if it fails
void record_once(RecordedCommand recorded, const fs::path& out) {
  recorded.out = out.string();
  const int exit_code = record_program(recorded);
  if (exit_code != 0)
    throw InputError(fmt::format("{}", fmt::join(recorded.words, " ")),
                     fmt::format("ended with exit code {} (a program that fails is not compared)", exit_code),
                     "Mend it first");
  if (const Manifest manifest = Trace(recorded.out).manifest();
      !manifest.complete || manifest.environment.contains("partial"))
    throw InputError(recorded.out, "is not whole (such a recording is not compared)",
                     "See finegrain trace info");
}

/// Runs the program until there are so many recordings of it in a folder, and one on each number of ranks of
/// --at.
void record_runs(const GateFlags& flags, const fs::path& folder, int runs) {
  const StdoutAside aside;
  for (int run = static_cast<int>(runs_in(folder).size()) + 1; run <= runs; ++run)
    record_once(flags.recorded, folder / fmt::format("run{}", run));
  const int own = Trace(runs_in(folder).front()).manifest().run.ranks;
  for (const int ranks : flags.at) {
    const fs::path out = recording_on(folder, ranks);
    if (ranks == own || is_trace(out)) continue;
    RecordedCommand recorded = flags.recorded;
    recorded.words = command_on(std::move(recorded.words), ranks);
    record_once(recorded, out);
    if (const int were = Trace(out).manifest().run.ranks; were != ranks)
      throw InputError(fmt::format("{}", fmt::join(recorded.words, " ")),
                       fmt::format("ran on {}, and not on {} (--at)", format_count(were, "rank"), ranks),
                       "Write its number of ranks as mpirun -n 4 ./my_code");
  }
}

/// @param traces  all on one number of ranks
RecordedRuns runs_of(const fs::path& folder, std::deque<Trace> traces) {
  RecordedRuns runs;
  runs.folder = folder.string();
  runs.traces = std::move(traces);
  for (const Trace& trace : runs.traces) {
    runs.programs.push_back(std::make_unique<RecordedPrograms>(trace));
    runs.structures.push_back(changes::structure_of(*runs.programs.back()));
    if (runs.ranks() != runs.structures.back().ranks)
      throw InputError(runs.folder, "has recordings on different numbers of ranks",
                       "Record a new one with --keep");
  }
  return runs;
}

RecordedRuns read_runs(const std::string& folder, const CallNames& names) {
  std::deque<Trace> traces;
  for (const fs::path& run : runs_in(folder))
    traces.push_back(open_trace(run.string(), names));
  return runs_of(folder, std::move(traces));
}

/// @throws InputError if they are of different programs, or on different numbers of ranks
void check_comparable(const ComparedRuns& runs) {
  const std::string remedy = "Record a new baseline with --keep";
  if (runs.before.ranks() != runs.after.ranks())
    throw InputError(runs.before.folder,
                     fmt::format("has {}, and the program runs on {}",
                                 format_count(runs.before.ranks(), "rank"), runs.after.ranks()),
                     remedy);
  const auto is_shared = [&](const auto& pair) { return may_be_of_one_file(pair.first, pair.second); };
  if (std::ranges::none_of(
          changes::match_places(runs.before.structures.front(), runs.after.structures.front()),
          [&](const changes::PlaceMatch& match) {
            return match.before && match.after &&
                   is_shared(std::pair(runs.before.structures.front().places[*match.before].name,
                                       runs.after.structures.front().places[*match.after].name));
          }))
    throw InputError(runs.before.folder,
                     "is of another program (no call of it is in the same file of the source)", remedy);
}

/// Whether runs of a program may be simulated by one of them: they do the same, and in the same order.
bool are_alike(const RecordedRuns& runs) {
  return std::ranges::none_of(runs.structures, &changes::Structure::depends_on_time);
}

/// Adds the simulated times of one side.
void simulate(const GateFlags& flags, const RecordedRuns& runs, std::vector<PlatformTimes>& times,
              std::vector<double> PlatformTimes::*totals_s, replay::RegionSeconds PlatformTimes::*own_s) {
  const std::size_t simulated = are_alike(runs) ? 1 : runs.traces.size();
  for (std::size_t run = 0; run < simulated; ++run) {
    ProgramJobs prepared(runs.traces[run], runs.folder, flags.program, flags.workload,
                         read_simulated_platforms(flags.platforms), flags.platforms);
    const changes::ProgramsWithWork programs(*runs.programs[run], runs.places, runs.table);
    std::vector<answer::Question> questions;
    for (replay::ReplayJob& job : prepared.jobs) {
      job.programs = &programs;
      job.work = replay::WorkTimes::as_recorded;
      questions.push_back({.job = job});
    }
    const std::vector<answer::Answer> answers = evaluate_with_progress(questions, 1, {});
    times.resize(answers.size());
    for (std::size_t p = 0; p < answers.size(); ++p) {
      times[p].platform = prepared.platforms[p].name;
      (times[p].*totals_s).push_back(answers[p].simulated->total_s);
      if (run > 0) continue;
      times[p].*own_s = replay::region_seconds(*answers[p].simulated);
      for (const auto& [region, late_s] : replay::region_late_seconds(*answers[p].simulated)) {
        std::vector<double>& seconds = (times[p].*own_s)[region];
        for (std::size_t rank = 0; rank < std::min(seconds.size(), late_s.size()); ++rank)
          seconds[rank] -= late_s[rank];
      }
    }
  }
}

ComparedRuns compare_with_baseline(const GateFlags& flags, const std::string& present) {
  ComparedRuns runs{
      read_runs(flags.baseline, flags.program.names), read_runs(present, flags.program.names), {}, {}};
  check_comparable(runs);
  compare_runs(runs);
  return runs;
}

ComparedRanks simulate_both(const GateFlags& flags, const ComparedRuns& runs) {
  ComparedRanks on{.ranks = runs.after.ranks()};
  simulate(flags, runs.before, on.platforms, &PlatformTimes::before_s, &PlatformTimes::own_before_s);
  simulate(flags, runs.after, on.platforms, &PlatformTimes::after_s, &PlatformTimes::own_after_s);
  on.findings = findings_of(runs, on.platforms);
  return on;
}

/// A program as the rules of its recordings make it, and what has to be said of that.
struct ScaledRuns {
  RecordedRuns runs;
  std::vector<std::string> notes;
};

/// @param side  whose recordings they are @throws InputError that begins with it
ScaledRuns scaled_runs(const std::string& side, const fs::path& folder, int ranks, const fs::path& out) try {
  std::vector<std::string> notes = write_scaled(folder, runs_in(folder).front(), ranks, out);
  std::deque<Trace> traces;
  traces.emplace_back(out);
  return {runs_of(out, std::move(traces)), std::move(notes)};
} catch (const std::exception& error) {  // also where memory or the disk has no room for so many ranks
  throw std::runtime_error(fmt::format("{}: {}", side, error.what()));
}

/// Rules of two programs are compared only if they come from the same numbers of ranks. A baseline without
/// other numbers says so by itself.
void check_recorded_alike(const std::string& baseline, const fs::path& present, int own) {
  std::vector<int> before = recorded_on(baseline), now = recorded_on(present);
  if (before.empty() || before == now) return;
  for (std::vector<int>* const side : {&before, &now}) {
    side->push_back(own);
    std::ranges::sort(*side);
  }
  throw InputError(baseline,
                   fmt::format("was recorded on {} ranks, and the present program on {} (--at)",
                               fmt::join(before, ", "), fmt::join(now, ", ")),
                   fmt::format("Give --at {}, or record a new one with --keep", fmt::join(before, ",")));
}

/// Both programs as the rules of their recordings make them. They have one "recording" each, so their work is
/// not compared, and is the baseline's.
ComparedRanks judge_scaled(const GateFlags& flags, const fs::path& present, int own, int ranks,
                           std::vector<std::string>& said) try {
  check_recorded_alike(flags.baseline, present, own);
  ScaledRuns before = scaled_runs(baseline_side, flags.baseline, ranks, scaled_before(present, ranks));
  ScaledRuns now = scaled_runs(present_side, present, ranks, scaled_now(present, ranks));
  for (std::string& note : notes_of_both(before.notes, now.notes))
    if (std::ranges::find(said, note) == said.end()) said.push_back(std::move(note));
  ComparedRuns runs{std::move(before.runs), std::move(now.runs), {}, {}};
  compare_runs(runs);
  return simulate_both(flags, runs);
} catch (const std::exception& error) {
  return {.ranks = ranks, .refusal = error.what()};
}

/// Those of --ranks, each once, without the one on which the program is recorded.
std::vector<int> ranks_to_scale(const GateFlags& flags, int own) {
  std::vector<int> numbers;
  for (const int ranks : flags.other_ranks)
    if (ranks != own && std::ranges::find(numbers, ranks) == numbers.end()) numbers.push_back(ranks);
  return numbers;
}

GateAnswer judge(const GateFlags& flags, const std::string& present) {
  record_runs(flags, present, flags.repeat);
  ComparedRuns runs = compare_with_baseline(flags, present);
  for (int more = 2; more <= times_as_many && runs.work.is_suspect && runs.structure.changes.empty();
       ++more) {
    record_runs(flags, present, more * flags.repeat);
    runs = compare_with_baseline(flags, present);
  }
  GateAnswer answer{.threshold = threshold_of(flags.threshold), .strict = flags.strict};
  answer.compared.push_back(simulate_both(flags, runs));
  answer.title = fmt::format("{} -> {}", flags.baseline, present);
  answer.notes.push_back(fmt::format(
      "Both programs are simulated with the baseline's work, the least of {}, except where the work of the "
      "present program, in {}, is clearly distributed otherwise.",
      format_count(runs.before.traces.size(), "recording"), runs.after.traces.size()));
  if (runs.before.traces.size() < changes::least_runs)
    answer.notes.push_back(
        fmt::format("Work is not compared: fewer than {} recordings do not tell how far it scatters.",
                    changes::least_runs));
  if (std::string note = note_of_work(runs); !note.empty()) answer.notes.push_back(std::move(note));
  const int own = runs.after.ranks();
  for (const int ranks : ranks_to_scale(flags, own)) {
    answer.compared.push_back(judge_scaled(flags, present, own, ranks, answer.notes));
    if (const std::string& refusal = answer.compared.back().refusal; !refusal.empty())
      answer.notes.push_back(
          fmt::format("Nothing was compared on {}: {}", format_count(ranks, "rank"), refusal));
  }
  return answer;
}

/// What cannot be compared is no baseline. @throws InputError that says why
void check_baseline(const GateFlags& flags, const fs::path& folder) {
  for (const fs::path& run : runs_in(folder))
    open_trace(run.string(), flags.program.names);
  for (const int ranks : ranks_to_scale(flags, Trace(runs_in(folder).front()).manifest().run.ranks)) {
    const fs::path out = scaled_before(folder, ranks);
    write_scaled(folder, runs_in(folder).front(), ranks, out);
    remove_trace(out);
    std::error_code ignored;
    fs::remove(out, ignored);
  }
}

/// @returns the exit code
int run_gate(const GateFlags& flags) {
  const output::Format format = output::parse_format(flags.format);
  threshold_of(flags.threshold);
  if (flags.recorded.words.empty())
    throw InputError("gate", "no program is named",
                     "Give its command: finegrain gate ... -- mpirun -n 4 ./my_code");
  const bool is_new = flags.keep || runs_in(flags.baseline).empty();
  if (is_new && runs_in(flags.baseline).empty())
    check_absent(flags.baseline, "it holds no recording", "Name another folder, or replace it with --keep");
  if (flags.keep && is_trace(flags.baseline))
    throw InputError(flags.baseline, "was recorded by finegrain record, and is not replaced",
                     "Name another folder");
  const std::string present = (fs::path(flags.baseline) / "").parent_path().string() + ".present";
  remove_runs(present);
  if (is_new) {
    record_runs(flags, present, times_as_many * flags.repeat);
    check_baseline(flags, present);
    remove_runs(flags.baseline);  // which was empty, or a baseline
    std::error_code error;
    fs::rename(present, flags.baseline, error);
    if (error)
      throw InputError(flags.baseline, fmt::format("cannot be made ({})", error.message()),
                       "Name another folder");
    complain(fmt::format("gate: the baseline is now {} ({}); nothing was compared", flags.baseline,
                         format_count(static_cast<std::size_t>(times_as_many * flags.repeat) +
                                          recorded_on(flags.baseline).size(),
                                      "recording")));
    return 0;
  }
  const GateAnswer answer = judge(flags, present);
  print_gate(std::cout, answer, format);
  if (!flags.junit.empty()) write_junit(flags.junit, answer);
  for (const ComparedRanks& on : answer.compared)
    if (!on.refusal.empty())
      complain(
          fmt::format("gate: nothing was compared on {}: {}", format_count(on.ranks, "rank"), on.refusal));
  if (!answer.passes()) return 1;
  return answer.is_whole() ? 0 : 2;
}

}  // namespace

void add_gate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "gate",
      "Tells what a commit costs, before it is merged. Records the present program, compares it\n"
      "with a baseline, and says which lines of the source call, send or take more, and by how much longer "
      "the "
      "run\n"
      "takes on each platform. The baseline is a folder of recordings. gate makes it where there is none, or "
      "with "
      "--keep.\n"
      "Exit codes: 0 no platform is slower by more than the threshold, 1 one is, 2 wrong usage, or nothing\n"
      "could be compared (the program failed, the baseline is of another one, or --ranks has no rules).");
  const auto flags = std::make_shared<GateFlags>();
  command->add_option("--baseline", flags->baseline, "Folder of the baseline's recordings")->required();
  add_recorded_command(*command, flags->recorded);
  add_platform_options(*command, flags->platforms);
  command->get_option("--platform")->allow_extra_args(false);  // it would take the -- that may follow
  command
      ->add_option("--ranks-per-node", flags->workload.ranks_per_node,
                   "Ranks on each node. Default: as recorded, or as many as a node has cores for")
      ->check(at_least_one())
      ->excludes("--rankfile");
  command
      ->add_option("--repeat", flags->repeat,
                   "Recordings of the present program. There are three times as many of a baseline, and "
                   "where work looks changed")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  CLI::Option* other_ranks =
      command
          ->add_option(
              "--ranks", flags->other_ranks,
              "Answers for these numbers of ranks as well, e.g. 256,1024, by rules of the recordings "
              "of --at (finegrain trace scale). Where there are none, a line says so, and the exit "
              "code is 2")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(number_between(2, 65536));
  command
      ->add_option("--at", flags->at,
                   "Also records the program once on each of these numbers of ranks, in place of that after "
                   "the command's -n. Two or three small ones that the program can run on, e.g. 2,8")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_between(1, 65536));
  other_ranks->needs("--at");
  command->add_flag("--keep", flags->keep,
                    "Record a new baseline in place of the old one, and compare nothing");
  command
      ->add_option("--threshold", flags->threshold,
                   "A platform may be slower by this share of the baseline's simulated time, e.g. 1% or 0.01")
      ->capture_default_str();
  command->add_flag("--strict", flags->strict, "Any finding ends with 1, whatever it costs");
  add_program_options(*command, flags->program);
  // Calls are listed by place. Work is that of the baseline, as it was recorded.
  for (const char* const flag : {"--by", "--work", "--compute-scale-from", "--keep-tasks", "--change"})
    command->remove_option(command->get_option(flag));
  flags->program.names.by = "place";
  add_format_option(*command, flags->format);
  command->add_option("--junit", flags->junit, "Also write the result as JUnit's XML into this file");
  command->footer(
      "Example: finegrain gate --baseline base --platform abel,hdr_infiniband -- mpirun -n 4 ./my_code\n"
      "More ranks: with --at 2,8 --ranks 64, it is also recorded on 2 and 8, and compared on 64.\n"
      "What noise can do, and snippets for GitHub and GitLab: docs/gate.md.");
  command->callback([flags] {
    try {
      if (const int exit_code = run_gate(*flags); exit_code != 0) throw CLI::RuntimeError(exit_code);
    } catch (const CLI::Error&) {
      throw;
    } catch (const std::exception& error) {  // 1 would say that something has become slower
      complain(fmt::format("finegrain: {}", error.what()));
      throw CLI::RuntimeError(2);
    }
  });
}

}  // namespace finegrain::cli
