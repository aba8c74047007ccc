// SPDX-License-Identifier: MIT
#include "kernels/recorder/program.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/machine/cpu_time.hpp"
#include "kernels/machine/cpus.hpp"
#include "kernels/machine/identity.hpp"
#include "kernels/mpi/clock_offsets.hpp"
#include "kernels/recorder/layout.hpp"
#include "traces/io/file_size_signal.hpp"
#include "traces/manifest.hpp"
#include "traces/waited_for_cores.hpp"

namespace finegrain::recorder {
namespace {

/// On rank 0, of the trace that is being recorded. A library of the program may initialize MPI before this
/// one is constructed, and finalize it after this one is destroyed.
Manifest& manifest_of_run() {
  static Manifest& manifest = *new Manifest;
  return manifest;
}

/// Whether all ranks have recorded until MPI was finalized.
bool ends_complete = false;

/// The command line of this program, its words separated by blanks.
std::string command() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(in)), {});
  if (!words.empty()) words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

/// "Open MPI v4.1.4", or MPICH's first line.
std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  real.MPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

void say_exists(const std::string& folder) {
  say(fmt::format("{}: exists already, so this run is not recorded. Give another folder: FINEGRAIN_TRACE",
                  folder));
}

/// Where this rank would put the trace, absolute; empty if its working directory cannot be found.
std::filesystem::path own_folder() {
  const char* const asked = std::getenv("FINEGRAIN_TRACE");
  std::error_code error;
  auto path = std::filesystem::absolute(asked == nullptr || *asked == '\0' ? "trace" : asked, error);
  if (!error) return path;
  say(fmt::format("the working directory cannot be found ({}), so nothing is recorded", error.message()));
  return {};
}

/// Collective. The folder that rank 0 chooses, absolute; empty if no folder can be used.
std::string agree_on_folder(MPI_Comm world, int rank) {
  std::string folder;
  if (rank == 0) {
    folder = own_folder().string();
    std::error_code error;
    if (!folder.empty() && std::filesystem::exists(folder, error)) {
      say_exists(folder);
      folder.clear();
    }
  }
  int length = static_cast<int>(folder.size());
  real.MPI_Bcast(&length, 1, MPI_INT, 0, world);
  folder.resize(static_cast<std::size_t>(length));
  real.MPI_Bcast(folder.data(), length, MPI_CHAR, 0, world);
  return folder;
}

/// Collective. False as well if some rank cannot be asked.
bool is_true_on_all(MPI_Comm world, bool mine) {
  int all = mine ? 1 : 0;
  const int result = real.MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, world);
  return result == MPI_SUCCESS && all != 0;
}

/// Writes the manifest, on rank 0.
bool write(const Recording& recording) {
  try {
    write_manifest(recording.folder, manifest_of_run());
    return true;
  } catch (const std::exception& error) {
    say(error.what());
    return false;
  }
}

void describe_run(int ranks, const Layout& layout) {
  Manifest& manifest = manifest_of_run();
  Run& run = manifest.run;
  run.problem = {"program", {{"command", command()}}};
  run.policy = "recorded";
  run.ranks = ranks;
  run.ranks_per_node = layout.ranks_per_node;
  manifest.implementation = "program";
  manifest.oversubscribed = layout.oversubscribed;
  manifest.recorded_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  manifest.environment = {{"cpu", machine::cpu_model()},
                          {"cores", std::to_string(layout.cores)},
                          {"machine", machine::machine_identity()},
                          {"mpi", library()},
                          {"finegrain", FINEGRAIN_VERSION},
                          {"pinning", layout.pinning}};
  if (!layout.ranks_of_nodes.empty()) manifest.environment["ranks of nodes"] = layout.ranks_of_nodes;
}

/// Collective. On rank 0, adds the sums over all ranks of what each has counted, function by function.
/// @param counts  zeros for functions that are not listed
void list_counts(MPI_Comm world, const char* name, const std::array<std::uint64_t, function_count>& counts) {
  std::array<std::uint64_t, function_count> sums{};
  real.MPI_Reduce(counts.data(), sums.data(), function_count, MPI_UINT64_T, MPI_SUM, 0, world);
  std::string listed;
  for (std::size_t function = 0; function < sums.size(); ++function) {
    if (sums[function] == 0) continue;
    listed += fmt::format("{}{} {}", listed.empty() ? "" : ", ", function_names[function], sums[function]);
  }
  if (!listed.empty()) manifest_of_run().environment[name] = listed;
}

/// @param threads  the most of any rank
void describe_threads(int threads) {
  if (threads <= 1) return;
  Manifest& manifest = manifest_of_run();
  manifest.environment[threads_of_a_rank] = std::to_string(threads);
  const int cores = std::atoi(manifest.environment["cores"].c_str());
  // mpirun binds each of few ranks to a core, which all of its threads share.
  const int own_cores = machine::count_cores(machine::allowed_cpus());
  if (threads * manifest.run.ranks_per_node > cores || threads > own_cores) manifest.oversubscribed = true;
}

/// Collective. On rank 0, the manifest says how long that is, if it is a millisecond at least.
/// @param own_ns  this rank's
void describe_time(MPI_Comm world, const Recording& recording, const char* key, std::int64_t own_ns) {
  std::vector<std::int64_t> of_ranks(recording.rank == 0 ? static_cast<std::size_t>(recording.ranks) : 0);
  real.MPI_Gather(&own_ns, 1, MPI_INT64_T, of_ranks.data(), 1, MPI_INT64_T, 0, world);
  const std::int64_t sum_ns = std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0});
  if (sum_ns < 1'000'000) return;
  const auto most = std::ranges::max_element(of_ranks);
  manifest_of_run().environment[key] =
      fmt::format("{:.3f} s, most of it on rank {}: {:.3f} s", 1e-9 * static_cast<double>(sum_ns),
                  most - of_ranks.begin(), 1e-9 * static_cast<double>(*most));
}

/// Each rank adds a byte to a file when it has ended its own: a message to say so can not be sent any more.
/// @returns whether this is the last one
bool is_last_to_end(const Recording& recording) {
  const NoFileSizeSignal no_signal;
  const int file =
      ::open((recording.folder / ended_file_name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return false;
  struct stat ended {};
  const bool is_last =
      ::write(file, "1", 1) == 1 && ::fstat(file, &ended) == 0 && ended.st_size == recording.ranks;
  ::close(file);
  return is_last;
}

/// "rank 3", "ranks 0-2,5"
std::string listed(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + machine::format_cpus(ranks);
}

void say_partial(const std::vector<int>& absent) {
  say(
      fmt::format("{} {} no recorder, so the trace is partial and cannot be replayed. Does each part of the "
                  "command have the same LD_PRELOAD, and does each wrapper keep it?",
                  listed(absent), absent.size() == 1 ? "has" : "have"));
}

}  // namespace

void say(const std::string& line) {
  fmt::print(stderr, "finegrain: {}\n", line);
}

Recording* start_recording(MPI_Comm world, MPI_Comm handle_of_world, bool has_threads) {
  int rank = 0;
  int ranks = 1;
  real.MPI_Comm_rank(world, &rank);
  real.MPI_Comm_size(world, &ranks);
  const std::string folder = agree_on_folder(world, rank);
  if (folder.empty()) return nullptr;
  // It lives as long as the process: attributes of communicators refer to it until MPI is finalized.
  Recording* recording = nullptr;
  try {
    recording = new Recording(folder, world, handle_of_world, has_threads, false);
  } catch (const std::exception& error) {
    say(error.what());
  }
  if (!is_true_on_all(world, recording != nullptr)) return nullptr;
  const Layout layout = find_layout(world);
  const std::vector<ClockOffset> offsets = kernels::measure_clock_offsets(world);
  bool has_manifest = true;
  if (rank == 0) {
    describe_run(ranks, layout);
    manifest_of_run().offsets_at_start = offsets;
    has_manifest = write(*recording);
  }
  return is_true_on_all(world, has_manifest) ? recording : nullptr;
}

Recording* start_partial_recording(const RollCall& roll, MPI_Comm all_ranks, MPI_Comm handle_of_world,
                                   bool has_threads) {
  const int rank = rank_in(all_ranks);
  int ranks = 1;
  real.MPI_Comm_size(all_ranks, &ranks);
  const bool is_first = rank == roll.present.front();
  std::vector<int> absent;
  for (int one = 0; one < ranks; ++one) {
    if (!roll.has(one)) absent.push_back(one);
  }
  if (is_first) say_partial(absent);
  if (roll.folder.empty()) {
    if (is_first) say_exists(own_folder().string());
    return nullptr;
  }
  try {
    auto* const recording = new Recording(roll.folder, all_ranks, handle_of_world, has_threads, true);
    if (!is_first) return recording;
    Layout layout;
    layout.cores = machine::count_cores(machine::allowed_cpus());
    layout.pinning = fmt::format("{}: {}", rank, machine::format_cpus(machine::allowed_cpus()));
    describe_run(ranks, layout);
    manifest_of_run().environment["partial"] = "no recorder on " + listed(absent);
    manifest_of_run().offsets_at_start.resize(static_cast<std::size_t>(ranks));
    write(*recording);
    return recording;
  } catch (const std::exception& error) {
    say(error.what());
    return nullptr;
  }
}

void complete_manifest(Recording& recording) {
  const MPI_Comm world = recording.world;
  bool has_failed = false;
  if (const Access access; access) {
    recording.recorder.flush();
    has_failed = recording.recorder.has_failed();
  }
  if (recording.is_partial) return;
  const bool is_complete = is_true_on_all(world, !has_failed);
  const std::vector<ClockOffset> offsets = kernels::measure_clock_offsets(world);
  std::array<std::uint64_t, function_count> counted{};
  std::array<std::uint64_t, function_count> left{};
  for (std::size_t function = 0; function < counted.size(); ++function) {
    if (function_is_only_counted[function]) counted[function] = call_counts[function].load();
    left[function] = left_counts[function].load();
  }
  list_counts(world, only_counted, counted);
  list_counts(world, "calls that were left", left);
  describe_time(world, recording, uncounted_cpu_time, recording.uncounted_cpu_time_ns());
  describe_time(world, recording, slept_between_tests, recording.slept_between_tests_ns);
  describe_time(world, recording, slept_for_threads, recording.slept_for_workers_ns);
  int threads = machine::count_busy_threads();
  real.MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, world);
  if (recording.rank == 0) {
    manifest_of_run().offsets_at_end = offsets;
    describe_threads(threads);
    write(recording);
  }
  ends_complete = is_complete;
}

void finish_file(Recording& recording) {
  if (!recording.recorder.finish() || !ends_complete || !is_last_to_end(recording)) return;
  try {
    Manifest manifest = read_manifest(recording.folder);
    manifest.complete = true;
    write_manifest(recording.folder, manifest);
    ::unlink((recording.folder / ended_file_name).c_str());
  } catch (const std::exception& error) {
    say(error.what());
  }
}

}  // namespace finegrain::recorder
