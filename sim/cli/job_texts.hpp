// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/workload.hpp"

namespace finegrain::cli {

/// Where texts of jobs stand.
struct JobPlace {
  std::string where = "--job";        ///< for errors: the flag, or file:line
  std::filesystem::path folder = {};  ///< that their files are relative to
};

/// A job as it was written.
struct JobText {
  std::string what;  ///< flags of a workload, or a trace
  std::string nodes_text;
  std::vector<int> nodes;               ///< none yet where a hostfile names them: find_hosts()
  std::filesystem::path hostfile = {};  ///< or empty
  /// The most ranks on each of the nodes; empty: nothing says so.
  std::vector<std::optional<int>> slots = {};
  double start_s = 0;

  bool is_trace() const { return !what.starts_with("--"); }
};

/// Reads "runs/cg@nodes=0-15", "--heat 2000x4000 --ranks 64@nodes=16-31,offset=2ms", or
/// "runs/cg@hostfile=hosts".
/// @throws InputError if it is neither
JobText parse_job(const std::string& text, const JobPlace& place);

/// The nodes of a job that has a hostfile, in its order.
/// @throws InputError if it is wrong, or names a host that is not one of the platform's nodes
void find_hosts(JobText& job, const std::filesystem::path& platform);

/// The flags of a job that is no trace. @throws InputError if one is unknown or wrong
WorkloadOptions parse_workload(const std::string& flags, const JobPlace& place);

/// Adds --job, which excludes the flags that say what runs alone. @pre the command has those flags, and those
/// of energy
CLI::Option* add_job_option(CLI::App& command, std::vector<std::string>& texts);

/// The traces, matrices and other files that jobs read, which the command must not write over.
std::vector<std::filesystem::path> files_of_jobs(const std::vector<std::string>& texts);

}  // namespace finegrain::cli
