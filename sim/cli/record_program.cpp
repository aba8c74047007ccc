// SPDX-License-Identifier: MIT
#include "sim/cli/record_program.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cli/built_part.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/launcher.hpp"
#include "sim/cli/preloading.hpp"
#include "sim/cli/recording_claim.hpp"
#include "sim/cli/subprocess.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/manifest.hpp"
#include "traces/places/place_names.hpp"
#include "traces/rank_file.hpp"
#include "traces/stops.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

namespace fs = std::filesystem;

bool says(const CommandLine& command, std::initializer_list<std::string_view> words) {
  const std::string text = read_output(command).text;
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool can_be_started(const std::string& program) {
  return read_output({"sh", "-c", "command -v -- \"$1\"", "sh", program}).exit_code == 0;
}

/// The MPI that a launcher belongs to.
std::string mpi_of_launcher(const std::string& launcher) {
  const std::string name = fs::path(launcher).filename();
  if (name.starts_with("orterun") || name.ends_with(".openmpi")) return "openmpi";
  if (name.ends_with(".mpich") || name.ends_with(".hydra")) return "mpich";
  return says({launcher, "--version"}, {"HYDRA", "MPICH", "mpich"}) ? "mpich" : "openmpi";
}

/// The MPI whose recorder is preloaded: that of the launcher, or that the program is linked with. A script,
/// make or a shell most likely uses the launcher that PATH has.
std::string mpi_of(const RecordedCommand& recorded) {
  if (!recorded.mpi.empty()) return recorded.mpi;
  for (const std::string& word : recorded.words)
    if (is_mpi_launcher(word) && can_be_started(word)) return mpi_of_launcher(word);
  for (const std::string& word : recorded.words) {
    std::error_code ignored;
    if (!fs::is_regular_file(word, ignored)) continue;
    const std::string libraries = read_output({"sh", "-c", "ldd \"$1\" 2>/dev/null", "ldd", word}).text;
    if (libraries.find("libmpich") != std::string::npos) return "mpich";
    if (libraries.find("libmpi.") != std::string::npos) return "openmpi";
  }
  return can_be_started("mpirun") ? mpi_of_launcher("mpirun") : "openmpi";
}

fs::path recorder_library(const std::string& mpi) {
  const std::string target = mpi == "mpich" ? "finegrain_recorder_mpich" : "finegrain_recorder";
  return built_part("lib" + target + ".so", target, {"../lib", "../lib/finegrain"});
}

/// The first word that sets no variable of the environment.
std::string program_of(const RecordedCommand& recorded) {
  const auto word = std::ranges::find_if(
      recorded.words, [](const std::string& text) { return text.find('=') == std::string::npos; });
  return word == recorded.words.end() ? recorded.words.front() : *word;
}

/// What would only show after the run. @throws InputError
void check_before(const RecordedCommand& recorded) {
  const std::string program = program_of(recorded);
  if (!can_be_started(program))
    throw InputError(program, "cannot be started (there is no such command)",
                     "Is it installed, and in PATH?");
  // The recorder makes the folders above it, too. Only making the first of them tells whether that is
  // possible.
  std::error_code error;
  fs::path missing = fs::absolute(recorded.out);
  while (missing.parent_path().has_relative_path() && !fs::exists(missing.parent_path(), error))
    missing = missing.parent_path();
  if (fs::exists(missing, error)) return;  // a trace that will be replaced
  if (fs::create_directory(missing, error)) fs::remove(missing, error);
  if (error)
    throw InputError(
        recorded.out,
        fmt::format("cannot be made in {} ({})", missing.parent_path().string(), error.message()),
        "Choose another folder with --out");
}

bool has_manifest(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / manifest_file_name, ignored);
}

/// A trace that the next one replaces: it lies aside until there is a new one.
class PreviousTrace {
 public:
  /// @throws InputError if there is something that --force does not replace
  PreviousTrace(const RecordedCommand& recorded, const fs::path& folder) : folder_(folder) {
    std::error_code ignored;
    if (!recorded.force || !fs::is_directory(fs::symlink_status(folder, ignored))) {
      check_absent(recorded.out, "a trace is never overwritten",
                   "Choose another folder with --out, or --force");
      return;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(recorded.out))
      if (const std::string name = entry.path().filename();
          (!belongs_to_trace(name) && name != ended_file_name) || !entry.is_regular_file())
        throw InputError(entry.path().string(), "is no file of a trace, so its folder is not replaced",
                         "Move it away");
    aside_ = folder.string() + fmt::format(".before-{}", ::getpid());
  }
  ~PreviousTrace() { settle(); }
  PreviousTrace(const PreviousTrace&) = delete;
  PreviousTrace& operator=(const PreviousTrace&) = delete;

  void put_aside() {
    if (aside_.empty()) return;
    std::error_code error;
    fs::rename(folder_, aside_, error);
    if (error)
      throw InputError(folder_.string(), fmt::format("cannot be replaced ({})", error.message()),
                       "Choose another folder with --out");
    is_aside_ = true;
  }
  /// After the run: removes it, or puts it back where that has left nothing.
  void settle() {
    if (!std::exchange(is_aside_, false)) return;
    std::error_code error;
    if (has_manifest(folder_)) {
      remove_trace(aside_);
      fs::remove(aside_, error);
    } else if (fs::exists(folder_, error)) {
      spdlog::warn("{}: is the trace that was in {} before", aside_.string(), folder_.string());
    } else {
      fs::rename(aside_, folder_, error);
    }
  }

 private:
  fs::path folder_;
  fs::path aside_;  ///< empty: there was none
  bool is_aside_ = false;
};

/// Why the program got no recorder. @param seen  a program that called MPI without it, where one was seen
std::string who_took_it(const RecordedCommand& recorded, const std::string& seen) {
  const bool sets = std::ranges::any_of(
      recorded.words, [](const std::string& word) { return word.find("LD_PRELOAD") != std::string::npos; });
  const std::string by = sets ? "the command itself changes LD_PRELOAD"
                              : "something between the launcher and it changes LD_PRELOAD";
  return seen.empty() ? by + ", by which the recorder is loaded"
                      : fmt::format("{} ran without the recorder: {}, by which that is loaded", seen, by);
}

/// @param mpi  whose recorder was loaded. @throws InputError if the program left none
void check_trace(const RecordedCommand& recorded, const std::string& mpi, const ProgramEnd& end) {
  const std::string program = program_of(recorded);
  const std::string ended = !end.problem.empty() ? end.problem + ", and "
                            : end.exit_code != 0 ? fmt::format("ended with exit code {}, and ", end.exit_code)
                                                 : "";
  if (has_manifest(recorded.out)) return;
  std::error_code ignored;
  if (fs::exists(recorded.out, ignored))
    throw InputError(program,
                     fmt::format("{}left no whole trace ({} has no manifest{}{})", ended, recorded.out,
                                 end.said.recording_stopped.empty() ? "" : ": ", end.said.recording_stopped),
                     "Remove the folder before the next recording");
  if (!end.said.not_started.empty())
    throw InputError(program, fmt::format("{}left no trace (it said: {})", ended, end.said.not_started),
                     "Does the command run without finegrain record?");
  if (end.said.is_other_mpi) {
    const bool is_open_mpi = mpi == "mpich";
    throw InputError(
        program,
        fmt::format("{}left no trace (the program was built with {}, and the recorder of {} was loaded)",
                    ended, is_open_mpi ? "Open MPI" : "MPICH", is_open_mpi ? "MPICH" : "Open MPI"),
        fmt::format("Start it with the mpirun of its own MPI, e.g. mpirun.{0}; or add --mpi {0}",
                    is_open_mpi ? "openmpi" : "mpich"));
  }
  const bool sets_preload = std::ranges::any_of(
      recorded.words, [](const std::string& word) { return word.find("LD_PRELOAD") != std::string::npos; });
  if (!end.without_recorder.empty() || (sets_preload && end.exit_code == 0))
    throw InputError(program,
                     fmt::format("{}left no trace ({})", ended, who_took_it(recorded, end.without_recorder)),
                     "Libraries of your own: LD_PRELOAD=yours.so finegrain record -- ...");
  if (end.exit_code != 0)
    throw InputError(program, fmt::format("{}left no trace", ended), "Does it run without finegrain record?");
  throw InputError(program, "left no trace (it called no MPI_Init that the recorder could see)",
                   "Is it an MPI program, linked with a shared MPI library? --mpi says which");
}

void name_trace(const RecordedCommand& recorded, const ProgramEnd& end, bool is_interrupted = false) {
  const Trace trace(recorded.out);
  const auto& environment = trace.manifest().environment;
  const auto partial = environment.find("partial");
  // A program that calls MPI_Finalize may still fail.
  std::string remark = !end.said.recording_stopped.empty()
                           ? "recording stopped: " + end.said.recording_stopped
                       : partial != environment.end() ? "partial: " + partial->second
                       : trace.manifest().complete    ? ""
                                                      : "it ended early";
  const std::string how = is_interrupted         ? "interrupted"
                          : !end.problem.empty() ? end.problem
                          : end.exit_code != 0   ? fmt::format("exit code {}", end.exit_code)
                                                 : "";
  if (!remark.empty() && !how.empty()) remark += ": ";
  remark += how;
  spdlog::info("trace: {}{} (finegrain trace info {})", recorded.out,
               remark.empty() ? "" : fmt::format(" ({})", remark), recorded.out);
  if (trace.manifest().complete) return;
  if (const std::string where = describe(find_stops(trace, recorded.out, places::names_of_places(trace)));
      !where.empty())
    spdlog::info("calls of a run that did not end: {} (seconds after the first rank's first call)", where);
}

std::vector<std::string> settings_of_ranks(const RecordedCommand& recorded) {
  std::vector<std::string> settings;
  if (!recorded.call_sites.empty()) settings.push_back("FINEGRAIN_CALL_SITES=" + recorded.call_sites);
  if (recorded.is_patient) settings.emplace_back("FINEGRAIN_PATIENT=1");
  return settings;
}

/// Names the places of the program's calls, which other computers cannot. The trace is whole without.
void name_places(const std::string& folder) {
  try {
    places::PlaceNames::write(Trace(folder), folder);
  } catch (const InputError& error) {
    spdlog::warn("{}: places of calls get no names ({})", folder, error.what());
  }
}

}  // namespace

void add_recorded_command(CLI::App& command, RecordedCommand& recorded) {
  command.add_option("command", recorded.words,
                     "After --: the command that starts your MPI program, e.g. mpirun -n 16 ./my_code");
  command.add_option("--mpi", recorded.mpi, "The program's MPI. Default: the one that its launcher reports")
      ->check(one_of({"openmpi", "mpich"}));
}

int record_program(const RecordedCommand& recorded) {
  if (recorded.words.empty())
    throw InputError(
        "record", "nothing to record",
        "Give a kernel, or the command that starts an MPI program: finegrain record -- mpirun -n 4 "
        "./my_code");
  std::error_code error;
  const std::string folder = fs::absolute(recorded.out, error).string();
  if (error)
    throw InputError(recorded.out,
                     fmt::format("cannot be created in the current folder ({})", error.message()),
                     "Change to a folder that exists");
  const RecordingClaim claim(recorded.out);
  PreviousTrace previous(recorded, (fs::path(folder) / "").parent_path());
  check_before(recorded);
  const std::string mpi = mpi_of(recorded);
  const std::string library = recorder_library(mpi).string();
  if (library.find_first_of(" :") != std::string::npos)
    throw InputError(
        library,
        "the recorder is in a folder with a blank or a colon in its name (the loader of programs takes "
        "both for the end of a library's name)",
        "Install finegrain elsewhere");
  const bool is_open_mpi = mpi == "openmpi";
  CommandLine command =
      with_recorder(recorded.words, library, folder, settings_of_ranks(recorded), is_open_mpi);
  if (recorded.is_patient && is_open_mpi) command = with_yielding_ranks(std::move(command));
  previous.put_aside();
  const ProgramEnd end = run_program(command, [&] {
    const bool is_recorded = has_manifest(recorded.out);
    previous.settle();
    if (is_recorded) name_trace(recorded, {}, true);
  });
  check_trace(recorded, mpi, end);
  previous.settle();
  name_places(recorded.out);
  name_trace(recorded, end);
  return end.exit_code;
}

}  // namespace finegrain::cli
