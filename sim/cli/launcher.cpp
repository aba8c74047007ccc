// SPDX-License-Identifier: MIT
#include "sim/cli/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/uio.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "kernels/machine/cpus.hpp"
#include "sim/cli/built_part.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/version.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// As users name them, in the order of Launcher.
constexpr std::array<const char*, 4> launcher_names = {"mpirun", "mpiexec.hydra", "srun", "upcxx-run"};

bool has_real_upcxx() {
  return upcxx_run()[0] != '\0';
}

/// The first of these names that is in the first folder of PATH with any of them: a library that a user put
/// before the system's comes with its own launcher. The last where no folder has one.
std::string found_in_path(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* const name : names)
      if (::access((folder + '/' + name).c_str(), X_OK) == 0) return name;
  }
  return *(names.end() - 1);
}

/// Whether one process may copy from another's memory, as Open MPI does within a node. Containers may forbid
/// the call itself; Open MPI then complains at length and goes on.
bool may_copy_between_processes() {
  char source = 1;
  char target = 0;
  const iovec to{&target, 1};
  const iovec from{&source, 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

/// Builds a command line word by word.
class Words {
 public:
  Words(std::initializer_list<std::string> words) : words_(words) {}
  void add(std::initializer_list<std::string> words) { words_.insert(words_.end(), words); }
  void add(const std::vector<std::string>& words) { words_.insert(words_.end(), words.begin(), words.end()); }
  CommandLine words() && { return std::move(words_); }

 private:
  CommandLine words_;
};

std::string ranks_of_a_node(const LaunchedRun& run) {
  return fmt::format("{}", run.ranks / *run.nodes);
}

/// Not --quiet, which keeps to itself which rank was killed; LauncherErrors leaves out what is too much.
CommandLine open_mpi_command(const LaunchedRun& run, bool bound,
                             const std::vector<std::string>& environment) {
  // Debian names Open MPI's mpirun.openmpi; where MPICH is installed too, plain mpirun may be MPICH's.
  Words command = {found_in_path({"mpirun.openmpi", "mpirun"}), "--oversubscribe"};
  if (run.here && ::geteuid() == 0) command.add({"--allow-run-as-root"});
  if (!run.hostfile.empty()) command.add({"--hostfile", run.hostfile});
  command.add({"--bind-to", bound ? "core" : "none"});
  const std::string threads =
      bound && run.threads_per_rank > 1 ? fmt::format(":PE={}", run.threads_per_rank) : "";
  if (run.nodes)
    command.add({"--map-by", fmt::format("ppr:{}:node{}", ranks_of_a_node(run), threads)});
  else if (!threads.empty())
    command.add({"--map-by", "slot" + threads});
  if (run.here && !may_copy_between_processes())
    command.add({"--mca", "btl_vader_single_copy_mechanism", "none"});
  for (const std::string& variable : environment)
    command.add({"-x", variable});
  command.add({"-n", fmt::format("{}", run.ranks)});
  return std::move(command).words();
}

CommandLine hydra_command(const LaunchedRun& run, bool bound, const std::vector<std::string>& environment) {
  // Where Open MPI is installed too, plain mpiexec may be Open MPI's.
  Words command = {found_in_path({"mpiexec.hydra", "mpiexec"})};
  if (!run.hostfile.empty()) command.add({"-f", run.hostfile});
  if (run.nodes) command.add({"-ppn", ranks_of_a_node(run)});
  command.add({"-bind-to", bound ? fmt::format("core:{}", run.threads_per_rank) : "none"});
  for (const std::string& variable : environment) {
    const std::size_t sign = variable.find('=');
    command.add({"-genv", variable.substr(0, sign), variable.substr(sign + 1)});
  }
  command.add({"-n", fmt::format("{}", run.ranks)});
  return std::move(command).words();
}

/// Slurm's launcher, inside an allocation, which says how many ranks a node holds where nothing else does.
CommandLine slurm_command(const LaunchedRun& run, const std::vector<std::string>& environment) {
  if (!run.hostfile.empty())
    throw InputError("--hostfile", "srun takes its nodes from the allocation",
                     "Name them to salloc or sbatch: --nodelist");
  Words command = {"srun"};
  if (run.nodes)
    command.add({"--nodes", fmt::format("{}", *run.nodes), "--ntasks-per-node", ranks_of_a_node(run)});
  command.add({"--ntasks", fmt::format("{}", run.ranks), "--cpus-per-task",
               fmt::format("{}", run.threads_per_rank), "--cpu-bind=cores",
               fmt::format("--export=ALL,{}", fmt::join(environment, ","))});
  return std::move(command).words();
}

/// The hosts that a hostfile names, each once: the first word of a line.
std::vector<std::string> hosts_in(const std::string& hostfile) {
  std::ifstream file(hostfile);
  std::vector<std::string> hosts;
  for (std::string line; std::getline(file, line);) {
    std::string host;
    std::istringstream(line) >> host;
    if (!host.empty() && host.front() != '#' && std::ranges::find(hosts, host) == hosts.end())
      hosts.push_back(host);
  }
  return hosts;
}

CommandLine upcxx_run_command(const LaunchedRun& run, const std::vector<std::string>& environment) {
  Words command = {"env"};
  // Over UDP its ranks run on this node if nothing names others. (Its flag -localhost says the same, but with
  // other networks prints a line among the program's output.)
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (run.here && !run.nodes && run.hostfile.empty() && run.launcher_words.empty() &&
      !is_set("GASNET_SPAWNFN") && !is_set("GASNET_SSH_SERVERS") && !is_set("SSH_SERVERS"))
    command.add({"GASNET_SPAWNFN=L"});
  command.add(environment);
  command.add({has_real_upcxx() ? upcxx_run() : "upcxx-run", "-n", fmt::format("{}", run.ranks)});
  if (run.nodes) command.add({"-N", fmt::format("{}", *run.nodes)});
  // A real UPC++ takes the nodes themselves.
  if (!run.hostfile.empty())
    command.add({"-ssh-servers", fmt::format("{}", fmt::join(hosts_in(run.hostfile), ","))});
  return std::move(command).words();
}

void check(const LaunchedRun& run) {
  if (run.ranks < 1 || run.threads_per_rank < 1)
    throw InputError("--ranks, --threads",
                     fmt::format("{} x {} (there must be one of each)", run.ranks, run.threads_per_rank),
                     "Give 1 or more");
  if (run.nodes && (*run.nodes < 1 || run.ranks % *run.nodes != 0))
    throw InputError("--nodes",
                     fmt::format("{} cannot be divided equally among {}", format_count(run.ranks, "rank"),
                                 format_count(*run.nodes, "node")),
                     "Give a divisor of --ranks");
  if (!run.hostfile.empty() && run.here && hosts_in(run.hostfile).empty())
    throw InputError("--hostfile", fmt::format("{} names no host", run.hostfile), "Name one a line");
}

}  // namespace

void add_launcher_options(CLI::App& command, LauncherFlags& flags) {
  command
      .add_option("--launcher", flags.name,
                  fmt::format("mpirun (Open MPI), mpiexec.hydra (MPICH, Intel MPI), srun (in a Slurm "
                              "allocation) or upcxx-run (a real UPC++). Default: {}; for UPC++ programs {}",
                              launcher_names[static_cast<std::size_t>(usual_launcher(false))],
                              launcher_names[static_cast<std::size_t>(usual_launcher(true))]))
      ->check(one_of({launcher_names.begin(), launcher_names.end()}));
  command.add_option("--hostfile", flags.hostfile,
                     "The launcher's list of nodes, for machines without a batch system");
  command
      .add_option(
          "--launcher-args", flags.arguments,
          "More words for the launcher, e.g. --launcher-args='--mca btl tcp,self'. The flag may be repeated")
      ->allow_extra_args(false);
}

Launcher usual_launcher(bool is_upcxx) {
  if (is_upcxx && has_real_upcxx()) return Launcher::upcxx_run;
  return std::string_view(mpi_version()).starts_with("MPICH") ? Launcher::hydra : Launcher::mpirun;
}

Launcher launcher_of(const LauncherFlags& flags, bool is_upcxx) {
  if (flags.name.empty()) return usual_launcher(is_upcxx);
  const auto launcher =
      static_cast<Launcher>(std::ranges::find(launcher_names, flags.name) - launcher_names.begin());
  if (launcher == Launcher::upcxx_run && !is_upcxx)
    throw InputError("--launcher", "upcxx-run cannot start MPI programs, and two-sided programs are MPI",
                     "Leave it out, or name mpirun or srun");
  return launcher;
}

std::vector<std::string> launcher_words(const LauncherFlags& flags) {
  std::vector<std::string> words;
  for (const std::string& argument : flags.arguments)
    std::ranges::copy(CLI::detail::split_up(argument), std::back_inserter(words));
  return words;
}

std::filesystem::path kernel_path(const std::string& name) {
  return built_part(name, name, {".", "../lib/finegrain"});
}

int cores_here() {
  return machine::count_cores(machine::allowed_cpus());
}

CommandLine launch_command(const LaunchedRun& run) {
  check(run);
  // Nothing is known here of other nodes.
  const bool on_this_node = run.here && run.launcher != Launcher::srun && !run.nodes && run.hostfile.empty();
  const bool bound = !on_this_node || std::int64_t{run.ranks} * run.threads_per_rank <= cores_here();
  std::vector<std::string> environment = {fmt::format("OMP_NUM_THREADS={}", run.threads_per_rank)};
  // Threads that wait by spinning would keep others from their core.
  if (!bound) environment.emplace_back("OMP_WAIT_POLICY=passive");
  environment.insert(environment.end(), run.environment.begin(), run.environment.end());
  CommandLine command;
  switch (run.launcher) {
    case Launcher::mpirun:
      command = open_mpi_command(run, bound, environment);
      break;
    case Launcher::hydra:
      command = hydra_command(run, bound, environment);
      break;
    case Launcher::srun:
      command = slurm_command(run, environment);
      break;
    case Launcher::upcxx_run:
      command = upcxx_run_command(run, environment);
      break;
  }
  command.insert(command.end(), run.launcher_words.begin(), run.launcher_words.end());
  command.push_back(kernel_path(run.binary).string());
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

}  // namespace finegrain::cli
