// SPDX-License-Identifier: MIT
#include "sim/cli/preloading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace finegrain::cli {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string joined(const std::string& first, const std::string& second, const char* between) {
  return first.empty() ? second : first + between + second;
}

/// A shell, and Open MPI, take it as one word.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+:=,@%").find(static_cast<char>(c)) != std::string::npos;
  });
}

/// A library of the user's that a launcher, or env, is told to preload keeps its place, before the recorder.
/// @returns whether there is one
bool add_to_preloaded(CommandLine& command, const std::string& library) {
  constexpr std::string_view name = "LD_PRELOAD";
  bool found = false;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string before = std::filesystem::path(command[i - 1]).filename();
    const bool sets = (before == "-x" || before == "--x" || before == "env") &&
                      command[i].starts_with(std::string(name) + "=") && command[i].size() > name.size() + 1;
    const bool sets_next =
        (before == "-genv" || before == "-env") && command[i] == name && i + 1 < command.size();
    if (sets) command[i] += ":" + library;
    if (sets_next) command[i + 1] = joined(command[i + 1], library, ":");
    found = found || sets || sets_next;
  }
  return found;
}

}  // namespace

bool is_mpi_launcher(const std::string& word) {
  const std::string name = std::filesystem::path(word).filename();
  return name == "mpirun" || name == "mpiexec" || name == "orterun" || name.starts_with("mpirun.") ||
         name.starts_with("mpiexec.");
}

CommandLine with_recorder(const CommandLine& command, const std::string& library, const std::string& folder,
                          const std::vector<std::string>& settings, bool is_open_mpi) {
  CommandLine program = command;
  const bool is_given = add_to_preloaded(program, library);
  const std::string libraries = joined(variable("LD_PRELOAD"), library, ":");
  CommandLine started = {"env", "LD_PRELOAD=" + libraries, "FINEGRAIN_TRACE=" + folder};
  started.insert(started.end(), settings.begin(), settings.end());
  CommandLine flags;
  if (is_open_mpi) {
    const std::string name = std::filesystem::path(command.front()).filename();
    const bool is_direct =
        is_mpi_launcher(command.front()) || name.starts_with("mpirun") || name.starts_with("mpiexec");
    const auto has_list = [](const std::string& word) {
      return word.find("mca_base_env_list") != std::string::npos;
    };
    // Open MPI takes its own variables only to other nodes. It refuses -x where such a list is in use.
    if (is_direct && !is_given && variable("OMPI_MCA_mca_base_env_list").empty() &&
        std::ranges::none_of(command, has_list)) {
      flags = {"-x", "LD_PRELOAD", "-x", "FINEGRAIN_TRACE"};
      for (const std::string& setting : settings)
        flags.insert(flags.end(), {"-x", setting.substr(0, setting.find('='))});
    } else {
      // However mpirun is started, and whatever flags it has: ranks have the environment of the daemon on
      // their node, which is started by these words.
      std::string agent = "env LD_PRELOAD=" + libraries;
      std::ranges::replace(agent.begin() + 4, agent.end(), ' ', ':');
      if (is_plain(folder)) agent += " FINEGRAIN_TRACE=" + folder;
      for (const std::string& setting : settings)
        agent += " " + setting;
      const std::string own = variable("OMPI_MCA_orte_launch_agent");
      started.push_back(fmt::format("OMPI_MCA_orte_launch_agent={} {}", agent, own.empty() ? "orted" : own));
    }
  }
  started.push_back(program.front());
  started.insert(started.end(), flags.begin(), flags.end());
  started.insert(started.end(), program.begin() + 1, program.end());
  return started;
}

CommandLine with_yielding_ranks(CommandLine command) {
  constexpr const char* name = "OMPI_MCA_mpi_yield_when_idle";
  if (variable(name).empty()) command.insert(command.begin() + 1, fmt::format("{}=1", name));
  return command;
}

}  // namespace finegrain::cli
