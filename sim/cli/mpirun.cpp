// SPDX-License-Identifier: MIT
#include "sim/cli/mpirun.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "kernels/machine/cpus.hpp"
#include "sim/cli/version.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

/// Debian names Open MPI's mpirun.openmpi; where MPICH is installed too, plain mpirun may be MPICH's.
std::string open_mpi_launcher() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/mpirun.openmpi").c_str(), X_OK) == 0) return "mpirun.openmpi";
  return "mpirun";
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

/// Open MPI's launcher. Not --quiet, which keeps to itself which rank was killed; LauncherErrors leaves out
/// what is too much.
CommandLine open_mpi_command(const MpiRun& run, bool oversubscribed,
                             const std::vector<std::string>& environment) {
  CommandLine command = {open_mpi_launcher(), "--oversubscribe"};
  const auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  if (::geteuid() == 0) add({"--allow-run-as-root"});
  add({"--bind-to", oversubscribed ? "none" : "core"});
  if (!oversubscribed && run.threads_per_rank > 1)
    add({"--map-by", fmt::format("slot:PE={}", run.threads_per_rank)});
  if (!may_copy_between_processes()) add({"--mca", "btl_vader_single_copy_mechanism", "none"});
  for (const std::string& variable : environment)
    add({"-x", variable});
  add({"-n", fmt::format("{}", run.ranks)});
  return command;
}

/// Slurm's launcher, inside an allocation, which says how many ranks a node holds.
CommandLine slurm_command(const MpiRun& run, const std::vector<std::string>& environment) {
  return {"srun",
          "--ntasks",
          fmt::format("{}", run.ranks),
          "--cpus-per-task",
          fmt::format("{}", run.threads_per_rank),
          "--cpu-bind=cores",
          fmt::format("--export=ALL,{}", fmt::join(environment, ","))};
}

bool has_real_upcxx() {
  return upcxx_run()[0] != '\0';
}

CommandLine upcxx_run_command(const MpiRun& run, const std::vector<std::string>& environment) {
  CommandLine command = {"env"};
  // Over UDP its ranks run on this node if nothing names others. (Its flag -localhost says the same, but with
  // other networks prints a line among the program's output.)
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (run.launcher_options.empty() && !is_set("GASNET_SPAWNFN") && !is_set("GASNET_SSH_SERVERS") &&
      !is_set("SSH_SERVERS"))
    command.emplace_back("GASNET_SPAWNFN=L");
  command.insert(command.end(), environment.begin(), environment.end());
  command.insert(command.end(),
                 {has_real_upcxx() ? upcxx_run() : "upcxx-run", "-n", fmt::format("{}", run.ranks)});
  return command;
}

}  // namespace

std::filesystem::path kernel_path(const std::string& name) {
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* const folder : {".", "../lib/finegrain"}) {  // built, installed
    const std::filesystem::path path = (beside / folder / name).lexically_normal();
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  throw InputError(name,
                   fmt::format("not beside finegrain in {} (it is built together with it)", beside.string()),
                   fmt::format("Build it: cmake --build ... --target {}", name));
}

int cores_here() {
  return machine::count_cores(machine::allowed_cpus());
}

Launcher usual_upcxx_launcher() {
  return has_real_upcxx() ? Launcher::upcxx_run : Launcher::mpirun;
}

CommandLine mpirun_command(const MpiRun& run) {
  if (run.ranks < 1 || run.threads_per_rank < 1) {
    throw InputError("--ranks, --threads",
                     fmt::format("{} x {} (there must be one of each)", run.ranks, run.threads_per_rank),
                     "Give 1 or more");
  }
  // Of the nodes that Slurm chooses nothing is known here.
  const bool oversubscribed =
      run.launcher != Launcher::srun && std::int64_t{run.ranks} * run.threads_per_rank > cores_here();
  std::vector<std::string> environment = {fmt::format("OMP_NUM_THREADS={}", run.threads_per_rank)};
  // Threads that wait by spinning would keep others from their core.
  if (oversubscribed) environment.emplace_back("OMP_WAIT_POLICY=passive");
  environment.insert(environment.end(), run.environment.begin(), run.environment.end());
  CommandLine command;
  switch (run.launcher) {
    case Launcher::mpirun:
      command = open_mpi_command(run, oversubscribed, environment);
      break;
    case Launcher::srun:
      command = slurm_command(run, environment);
      break;
    case Launcher::upcxx_run:
      command = upcxx_run_command(run, environment);
      break;
  }
  command.insert(command.end(), run.launcher_options.begin(), run.launcher_options.end());
  command.push_back(kernel_path(run.program).string());
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

}  // namespace finegrain::cli
