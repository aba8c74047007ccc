// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "traces/programs.hpp"

namespace finegrain::cli {

/// The flags that name platforms.
struct PlatformOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  bool oversubscribe = false;
  std::vector<std::string> host_files = {};  ///< the hostfile and the rankfile, which `files` already follow
};

/// Adds --platform (repeatable, required), --nodes, --hostfile, --rankfile, --set (repeatable) and
/// --oversubscribe. A rankfile excludes the flags of a placement, if the command has them already.
void add_platform_options(CLI::App& command, PlatformOptions& options);

/// The flags of these that make another machine of the files: --nodes, --without, --hostfile and --rankfile.
/// To be added after what names the files.
std::vector<CLI::Option*> add_machine_changes(CLI::App& command, PlatformOptions& options);

/// Whether a word of --map-by says that ranks are dealt out to the nodes.
bool is_by_node(const std::string& text);

/// Adds --set, which may be repeated; each of its values is one override, or several with commas between
/// them.
CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& help);

/// An error's text, with the names of the user's files in place of the copies that --nodes, --hostfile and
/// the like make of them.
std::string with_own_files(std::string text);

/// The folder of finegrain's own platform files: beside the installed program, or in the source tree.
std::filesystem::path platforms_folder();

/// For a flag that names a platform file: "abel" becomes the path of finegrain's own one, unless a file has
/// the name.
/// @param folder  that files are relative to; empty: the current one
CLI::Validator platform_by_name(const std::filesystem::path& folder = {});

/// What the closed form needs between nodes is derived from their links where it is not given.
/// @throws InputError with file and line
std::vector<platform::Platform> read_platforms(const PlatformOptions& options);
/// The same without what only the closed form needs: SimGrid loads each file once less, which takes long for
/// many nodes.
std::vector<platform::Platform> read_simulated_platforms(const PlatformOptions& options);

/// @param placements  the runs'; empty: block
/// @throws InputError where ranks x threads of a node outnumber a platform's cores, without --oversubscribe
void check_cores(std::span<const Run> runs, std::span<const platform::Platform> platforms,
                 const PlatformOptions& options, std::span<const problem::Placement> placements = {});

/// @param placement  the run's; none: block
inline void check_cores(std::span<const Run> runs, std::span<const platform::Platform> platforms,
                        const PlatformOptions& options, const std::optional<problem::Placement>& placement) {
  check_cores(runs, platforms, options,
              placement ? std::span(&*placement, 1) : std::span<const problem::Placement>());
}

/// Notes for tables: which costs between nodes were derived, where the runs take several nodes.
std::vector<std::string> derived_notes(std::span<const Run> runs, const PlatformOptions& options);

/// A note for tables where they do; else nothing. @param placements  as above
std::vector<std::string> oversubscription_notes(std::span<const Run> runs,
                                                std::span<const platform::Platform> platforms,
                                                std::span<const problem::Placement> placements = {});

/// A note for tables for each platform that names its network, and for each whose nodes are unlike one
/// another: what each has, and what the closed form takes.
std::vector<std::string> unlike_nodes_notes(std::span<const platform::Platform> platforms);

}  // namespace finegrain::cli
