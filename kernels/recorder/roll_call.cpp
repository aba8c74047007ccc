// SPDX-License-Identifier: MIT
#include "kernels/recorder/roll_call.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "kernels/recorder/program.hpp"

namespace finegrain::recorder {
namespace {

constexpr std::int64_t millisecond_ns = 1'000'000;
/// How long a rank's file may take to be seen. On one node it is there before MPI_Init returns; a network's
/// file system may show it late.
constexpr std::int64_t patience_on_node_ns = 5'000 * millisecond_ns;
constexpr std::int64_t patience_between_nodes_ns = 30'000 * millisecond_ns;
constexpr std::int64_t patience_a_rank_ns = 10 * millisecond_ns;
/// How much longer the others wait for the verdict of the first rank that has a recorder.
constexpr std::int64_t patience_with_first_ns = 5'000 * millisecond_ns;
/// What is older was left by a run that was killed.
constexpr std::int64_t oldest_s = 600;
constexpr const char* verdict_name = "verdict";

const char* first_of(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

int number_of(std::initializer_list<const char*> names) {
  const char* const text = first_of(names);
  int number = -1;
  if (text != nullptr) std::from_chars(text, text + std::string_view(text).size(), number);
  return number;
}

int rank_by_launcher() {
  return number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"});
}

/// Whether the launcher says that it has started all ranks on one node.
bool are_on_one_node() {
  const int ranks = number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
  const int here = number_of({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
  if (here > 0) return here == ranks;
  return number_of({"SLURM_STEP_NUM_NODES"}) == 1;
}

std::string read(const std::string& path) {
  std::string text;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char part[4096];
  for (ssize_t length = 0; (length = ::read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(length));
  ::close(file);
  return text;
}

/// @returns whether all of it was written
bool write(const std::string& path, std::string_view text, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return false;
  const bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && is_written;
}

/// MPICH's launcher gives its ranks no name of the run, but its process on this node is one, with the time at
/// which it was started. Empty if it is not found among the processes that have started this one.
std::string launching_process() {
  for (long process = ::getppid(); process > 1;) {
    const std::string text = read(fmt::format("/proc/{}/stat", process));
    const std::size_t name = text.find('(');
    const std::size_t end = text.rfind(')');
    if (name == std::string::npos || end == std::string::npos) return {};
    // After the name: state, parent, and as the 20th the time of the start (proc(5)).
    std::string_view rest = std::string_view(text).substr(end + 1);
    std::vector<std::string_view> words;
    while (!rest.empty()) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      const std::size_t length = std::min(rest.find(' '), rest.size());
      words.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (words.size() < 20) return {};
    const std::string_view command = std::string_view(text).substr(name + 1, end - name - 1);
    for (const char* const launcher : {"hydra_pmi_proxy", "mpiexec", "mpirun", "slurmstepd"}) {
      if (command.starts_with(launcher)) return fmt::format("{} {}", process, words[19]);
    }
    process = std::strtol(std::string(words[1]).c_str(), nullptr, 10);
  }
  return {};
}

/// What no other run has, as far as the environment tells.
std::string name_of_run(bool on_one_node) {
  if (const char* const run = first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})) {
    const char* const launcher = first_of({"OMPI_MCA_orte_hnp_uri"});
    return fmt::format("{} {}", run, launcher == nullptr ? "" : launcher);
  }
  if (const char* const run = first_of({"PMI_JOBID"})) return run;
  if (const char* const step = first_of({"SLURM_STEP_ID"}))
    return fmt::format("{} {}", first_of({"SLURM_JOB_ID", "SLURM_STEP_ID"}), step);
  const std::string process = on_one_node ? launching_process() : "";
  if (!process.empty()) return process;
  const char* const batch = first_of({"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"});
  return batch == nullptr ? "" : batch;
}

/// The trace's folder as this rank sees it.
std::string own_folder() {
  const char* const asked = std::getenv("FINEGRAIN_TRACE");
  std::error_code error;
  const auto path = std::filesystem::absolute(asked == nullptr || *asked == '\0' ? "trace" : asked, error);
  return error ? "" : path.string();
}

/// Where the ranks meet; the same for all of them.
std::string find_meeting_place() {
  const bool on_one_node = are_on_one_node();
  const std::string run = name_of_run(on_one_node);
  const std::string name = fmt::format("{:016x}", XXH3_64bits_withSeed(run.data(), run.size(), ::geteuid()));
  if (on_one_node && ::access("/dev/shm", W_OK | X_OK) == 0) return "/dev/shm/finegrain-" + name;
  const std::string folder = own_folder();
  return fmt::format("{}.{}.starting", folder, name);
}

std::string& meeting_place() {
  static auto& place = *new std::string(find_meeting_place());
  return place;
}

int& announced_rank() {
  static int rank = -1;
  return rank;
}

std::string file_of(int rank) {
  return fmt::format("{}/{}", meeting_place(), rank);
}

/// The folder for the trace may be one that does not exist yet, in others that do not either.
void announce(int rank) {
  std::error_code ignored;
  const std::filesystem::path place(meeting_place());
  std::filesystem::create_directories(place.parent_path(), ignored);
  ::mkdir(place.c_str(), 0700);
  if (write(file_of(rank), own_folder(), O_TRUNC)) announced_rank() = rank;
}

/// Seconds since a file was made, by the clock of its file system; none if there is no such file.
std::optional<std::int64_t> age_s(const std::string& path) {
  struct stat file;
  struct stat own;
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  if (::stat(file_of(announced_rank()).c_str(), &own) != 0) return 0;
  return std::int64_t{own.st_mtime} - std::int64_t{file.st_mtime};
}

/// Opening the folder makes a network's file system ask for what is new in it.
std::vector<int> find_present(int ranks) {
  std::vector<int> present;
  DIR* const place = ::opendir(meeting_place().c_str());
  if (place == nullptr) return present;
  while (const dirent* const entry = ::readdir(place)) {
    const std::string_view name(entry->d_name);
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (error == std::errc() && end == name.data() + name.size() && rank >= 0 && rank < ranks)
      present.push_back(rank);
  }
  ::closedir(place);
  std::ranges::sort(present);
  return present;
}

/// Leaves out what a run that was killed has left, which only a launcher that gives its runs no names can mix
/// up with this one's.
void leave_out_old(std::vector<int>& present) {
  std::erase_if(present, [](int rank) { return age_s(file_of(rank)).value_or(oldest_s + 1) > oldest_s; });
}

/// The verdict: the trace's folder in a line, and the ranks.
std::optional<RollCall> read_verdict(int ranks) {
  if (DIR* const place = ::opendir(meeting_place().c_str())) ::closedir(place);
  const std::string path = fmt::format("{}/{}", meeting_place(), verdict_name);
  const std::string text = read(path);
  const std::size_t line = text.find('\n');
  if (line == std::string::npos || text.back() != '\n' || line + 1 == text.size()) return std::nullopt;
  if (age_s(path).value_or(0) > oldest_s) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  RollCall verdict;
  verdict.folder = text.substr(0, line);
  const char* at = text.data() + line + 1;
  const char* const end = text.data() + text.size();
  for (int rank = 0; at < end; ++at) {
    const auto [after, error] = std::from_chars(at, end, rank);
    if (error != std::errc() || rank >= ranks) break;
    verdict.present.push_back(rank);
    at = after;
  }
  return verdict;
}

/// Puts down a verdict, unless there is one.
void judge(const std::vector<int>& present, int rank) {
  std::string folder = read(file_of(present.front()));
  std::error_code error;
  if (std::filesystem::exists(folder, error)) folder.clear();
  std::string text = folder + "\n";
  for (const int one : present)
    text += fmt::format("{} ", one);
  text.back() = '\n';
  const std::string path = fmt::format("{}/{}", meeting_place(), verdict_name);
  const std::string draft = fmt::format("{}.{}", path, rank);
  // Only whole verdicts are seen, where the file system has links.
  if (write(draft, text, O_TRUNC) && ::link(draft.c_str(), path.c_str()) != 0 && errno != EEXIST)
    write(path, text, O_EXCL);
  ::unlink(draft.c_str());
}

}  // namespace

bool RollCall::has(int rank) const {
  return std::ranges::binary_search(present, rank);
}

void announce_early() {
  const int rank = rank_by_launcher();
  if (rank >= 0 && std::getenv("PMI_SPAWNED") == nullptr) announce(rank);
}

void withdraw() {
  if (announced_rank() < 0) return;
  ::unlink(file_of(announced_rank()).c_str());
  ::rmdir(meeting_place().c_str());  // the last one succeeds
  announced_rank() = -1;
}

RollCall call_roll(int rank, int ranks) {
  const char* const needs_none = std::getenv("FINEGRAIN_ALL_RANKS");
  if (ranks == 1 || (needs_none != nullptr && std::string_view(needs_none) == "1")) {
    withdraw();
    RollCall all;
    for (int one = 0; one < ranks; ++one)
      all.present.push_back(one);
    return all;
  }
  if (announced_rank() != rank) {
    withdraw();
    announce(rank);
  }
  if (announced_rank() != rank) {
    say(fmt::format("{} cannot be written, so rank {} is not recorded", meeting_place(), rank));
    return {};
  }
  const std::int64_t patience_ns =
      (meeting_place().starts_with("/dev/shm/") ? patience_on_node_ns : patience_between_nodes_ns) +
      ranks * patience_a_rank_ns;
  const std::int64_t start_ns = clock_ns();
  bool has_judged = false;
  for (std::int64_t pause_ns = millisecond_ns / 4;; pause_ns = std::min(2 * pause_ns, 20 * millisecond_ns)) {
    if (const auto verdict = read_verdict(ranks)) return *verdict;
    const std::int64_t waited_ns = clock_ns() - start_ns;
    const bool is_tired = waited_ns > patience_ns;
    if (rank == 0 || is_tired) {
      std::vector<int> present = find_present(ranks);
      if (is_tired || static_cast<int>(present.size()) == ranks) leave_out_old(present);
      const bool is_first = !present.empty() && present.front() == rank;
      const bool may_judge = is_first || waited_ns > patience_ns + patience_with_first_ns;
      if (has_judged || (may_judge && present.empty())) return {};  // the folder takes nothing
      if (static_cast<int>(present.size()) == ranks || (is_tired && may_judge)) {
        judge(present, rank);
        has_judged = waited_ns > patience_ns + 2 * patience_with_first_ns;
        continue;
      }
    }
    const timespec pause{0, pause_ns};
    ::nanosleep(&pause, nullptr);
  }
}

void end_roll_call(int ranks) {
  if (announced_rank() < 0) return;
  for (int rank = 0; rank < ranks; ++rank)
    ::unlink(file_of(rank).c_str());
  ::unlink(fmt::format("{}/{}", meeting_place(), verdict_name).c_str());
  ::rmdir(meeting_place().c_str());
  announced_rank() = -1;
}

}  // namespace finegrain::recorder
