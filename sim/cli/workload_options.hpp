// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/platform_options.hpp"
#include "sim/cli/variant_options.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// The flags that say what runs and where its ranks lie; the same in every subcommand that has them.
struct WorkloadOptions {
  std::map<std::string, std::string> problems;  ///< by the pattern's flag; empty: not given
  std::map<std::string, std::string> settings;  ///< by the parameter's name; empty: not given
  VariantOptions variant;
  std::vector<int> ranks;
  std::optional<int> ranks_per_node;
  std::string placement = "block";
  int threads_per_rank = 1;
  std::int64_t iterations = 1000;
};

/// For a flag that counts something: 1 to 1,000,000,000.
CLI::Range at_least_one();

/// For a flag that is a number, from least to most. CLI::Range takes "nan" too.
CLI::Validator number_between(double least, double most);

/// Adds a flag for each pattern, e.g. --matrix, and for each parameter of one, e.g. --blocksize; --policy,
/// --transfer, --completion, --ranks, --ranks-per-node, --placement and --threads.
void add_workload_options(CLI::App& command, WorkloadOptions& options);

/// Refuses, beside a trace, the flags that say what ran.
/// @param keeps_files  still allow the files of patterns, which the closed form needs to count accesses
void exclude_run_options(CLI::App& command, CLI::Option& trace, bool keeps_files);

/// The settings that flags give. @throws InputError if one is no value of its parameter, or the pattern has
/// no such
Settings settings_of(const std::map<std::string, std::string>& texts, const pattern::PatternKind& kind);

/// The settings of a policy, defaults included. @throws InputError if one is no value of its parameter
Settings policy_settings_of(const std::map<std::string, std::string>& texts, const std::string& policy);

/// Adds a flag whose values are numbers or ranges of them: 16,32, 2..8, "powers of two 1..64".
CLI::Option* add_numbers(CLI::App& command, const std::string& flag, std::vector<int>& numbers,
                         const std::string& help);

/// Whether a word of --map-by says that the ranks of a node are on its sockets by turns.
bool is_by_socket(const std::string& text);

/// Adds --one-flow-per-message.
void add_one_flow_per_message(CLI::App& command, replay::ReplayOptions& options);

/// Adds --force.
void add_force(CLI::App& command, bool& force);

/// The files that the flags name and the command reads, which it must not write over.
std::vector<std::filesystem::path> input_files(const WorkloadOptions& workload,
                                               const PlatformOptions& platforms,
                                               const std::vector<std::string>& traces);

}  // namespace finegrain::cli
