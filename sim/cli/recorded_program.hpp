// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/call_names.hpp"
#include "sim/cli/comparison.hpp"
#include "sim/cli/noise_table.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/replay/replay.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {

/// How a recorded program is replayed elsewhere.
struct ProgramOptions {
  std::vector<std::string> collectives;      ///< "allreduce=ring"
  std::optional<std::string> compute_scale;  ///< "0.8", or "0.8,slow-*=1.5" by hosts
  std::string compute_scale_from;            ///< a trace of the same program on the other machine
  std::string recorded_on;                   ///< a platform file
  std::vector<std::string> changes = {};     ///< "place=halo.c:88 size=x0.5"
  std::string work = {};  ///< "as-recorded", "undisturbed", "mean"; empty: as the recording needs it
  bool keep_tasks = false;
  bool efficiency = false;  ///< also asked for (compare and report)
  std::string waits = {};   ///< --waits, which is not only for recorded programs
  CallNames names = {};
};

/// Adds --by, --skip-frames, --change, --collective, --keep-tasks, --work, --compute-scale,
/// --compute-scale-from and
/// --recorded-on.
/// @returns the last of them.
CLI::Option* add_program_options(CLI::App& command, ProgramOptions& options);

/// For a command that simulates no recorded program.
/// @throws InputError if one of the options is given, because it would change nothing
void refuse_program_options(const ProgramOptions& options);

/// A program's trace on each platform: measured | simulated | closed form, and where the time goes;
/// with noise, also the times with it.
/// @param ranks_per_node  empty: as recorded, or as many as a node of every platform has cores for
Comparison compare_program(const Trace& trace, const std::string& name, const ProgramOptions& program,
                           const WorkloadOptions& workload, const PlatformOptions& platform_options,
                           const replay::ReplayOptions& replay, int jobs, const NoiseOptions& noise = {});

/// The same as data of a report's page.
/// @param draws_ranks  also what needs every rank: its bars, messages and timeline
nlohmann::json report_of_program(const Trace& trace, const std::string& name, const ProgramOptions& program,
                                 const WorkloadOptions& workload, const PlatformOptions& platform_options,
                                 const replay::ReplayOptions& replay, int jobs, bool draws_ranks);

/// Calls use(job, notes) with its simulation on the first platform, and what has to be said of that.
void with_program_job(
    const Trace& trace, const std::string& name, const ProgramOptions& program,
    const WorkloadOptions& workload, const PlatformOptions& platform_options,
    const std::function<void(const replay::ReplayJob&, const std::vector<std::string>&)>& use);

/// How many decimals seconds have in a table, so that what is short can be read.
int decimals_for(double largest_s);

/// A table of what could be read of a trace.
struct TableOfTrace {
  output::Table table;
  bool has_problems = false;  ///< not all of it could be read
};

/// What it calls, how often, how long and how much: a row a function.
TableOfTrace functions_of_program(const Trace& trace, const std::string& name);

}  // namespace finegrain::cli
