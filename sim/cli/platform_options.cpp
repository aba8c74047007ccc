// SPDX-License-Identifier: MIT
#include "sim/cli/platform_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "sim/cli/help.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/enlarged.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::cli {
namespace {

/// The first node of a platform of unlike nodes that has more threads than cores: "4 ranks x 1 thread on node
/// slow-0, which has 2 cores"; empty if there is none.
std::string oversubscribed_node(const platform::Platform& platform, const Run& run,
                                const problem::Placement& placement) {
  for (int node = 0; node < placement.nodes() && std::cmp_less(node, platform.nodes.size()); ++node) {
    const platform::Node& of_node = platform.nodes[static_cast<std::size_t>(node)];
    const std::string what = oversubscription(
        {.cores = of_node.cores, .measured_on = {}, .disturbed_by = {}}, platform.costs,
        static_cast<int>(placement.ranks_of(node).size()), run.threads_per_rank, of_node.name);
    if (!what.empty()) return what;
  }
  return "";
}

/// "64 ranks x 1 thread on a node, which has 16 cores (abel)", for each that differs.
std::vector<std::string> oversubscriptions(std::span<const Run> runs,
                                           std::span<const platform::Platform> platforms,
                                           std::span<const problem::Placement> placements) {
  std::vector<std::string> found;
  for (const platform::Platform& platform : platforms) {
    const platform::PlatformFacts facts = platform::platform_facts(platform.file);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const Run& run = runs[r];
      const std::string what =
          platform.nodes.empty()
              ? oversubscription(facts, platform.costs, std::min(run.ranks, run.ranks_per_node),
                                 run.threads_per_rank)
              : oversubscribed_node(
                    platform, run,
                    placements.empty() ? problem::Placement(run.ranks, run.ranks_per_node) : placements[r]);
      if (what.empty()) continue;
      const std::string on = fmt::format("{} ({})", what, platform.name);
      if (std::ranges::find(found, on) == found.end()) found.push_back(on);
    }
  }
  return found;
}

/// The platforms that can have so many nodes: a line says which are left out.
/// @throws InputError if none can
std::vector<std::pair<std::string, std::string>> with_nodes(const std::vector<std::string>& files,
                                                            int nodes) {
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::string> left_out;
  for (const std::string& file : files) {
    try {
      texts.emplace_back(file, platform::enlarged_xml(file, nodes));
    } catch (const InputError& error) {
      left_out.push_back(fmt::format("left out: {}", error.what()));
      if (left_out.size() == files.size()) throw;
    }
  }
  for (const std::string& line : left_out)
    complain(line);
  return texts;
}

/// Writes each platform with this number of nodes, and names that file in its place.
/// @returns the files' folders, which end with the object
std::vector<std::shared_ptr<Temporary>> enlarge(PlatformOptions& options, int nodes) {
  std::vector<std::shared_ptr<Temporary>> folders;
  const auto files = std::exchange(options.files, {});
  for (const auto& [file, text] : with_nodes(files, nodes)) {
    const auto folder =
        std::make_shared<Temporary>(std::filesystem::temp_directory_path() / "finegrain-platform");
    folder->make_folder();
    folders.push_back(folder);
    const std::filesystem::path larger =
        folder->path() / fmt::format("{}_{}.xml", std::filesystem::path(file).stem().string(), nodes);
    AtomicFile out(larger, platform::enlarged_platform_kind());
    out.write(text);
    out.commit();
    options.files.push_back(larger.string());
  }
  return folders;
}

}  // namespace

void add_platform_options(CLI::App& command, PlatformOptions& options) {
  command
      .add_option("--platform", options.files,
                  "SimGrid platform files, e.g. my.xml; or one of finegrain's own by its name, e.g. abel")
      ->delimiter(',')
      ->transform(platform_by_name())
      ->required();
  // After --platform, whose files it takes. The command keeps the larger ones.
  command
      .add_option_function<int>(
          "--nodes",
          [&options, kept = std::vector<std::shared_ptr<Temporary>>()](int nodes) mutable {
            kept = enlarge(options, nodes);
          },
          "Use the platform with this many nodes: its first ones, or more, where its cluster grows by its "
          "own "
          "rule (finegrain platform --help). Of several platforms, those that cannot grow so far are left "
          "out")
      ->check(CLI::Range(1, platform::most_nodes));
  add_overrides(command, options.overrides,
                "Costs that the file lacks, or that replace its own, e.g. tau=3.4us or "
                "tau=3.4us,local_latency=300ns, or factors, e.g. link_latency=x2 (docs/platforms.md)");
  command.add_flag("--oversubscribe", options.oversubscribe,
                   "Allow more ranks x threads on a node than the platform has cores, as if each had one");
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& help) {
  const auto split = [&overrides](const std::vector<std::string>& texts) {
    overrides = platform::split_overrides(texts);
  };
  return command.add_option_function<std::vector<std::string>>("--set", split, help)->allow_extra_args(false);
}

std::filesystem::path platforms_folder() {
  std::error_code error;  // where /proc is not mounted
  const std::filesystem::path binary = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = binary.parent_path() / "../share/finegrain/platforms";
  return !error && std::filesystem::exists(installed, error) ? installed.lexically_normal()
                                                             : std::filesystem::path(FINEGRAIN_PLATFORMS);
}

CLI::Validator platform_by_name(const std::filesystem::path& folder) {
  return CLI::Validator(
      [folder](std::string& name) {
        if (name.empty()) return std::string("a name is empty. Give a platform file, or e.g. abel");
        const std::filesystem::path known = platforms_folder() / (name + ".xml");
        const bool is_plain = name.find_first_of("/.") == std::string::npos;
        std::error_code ignored;
        if (!is_plain || std::filesystem::exists(folder / name, ignored)) return std::string();
        if (!std::filesystem::exists(known, ignored)) {
          std::vector<std::string> own;
          for (const auto& file : std::filesystem::directory_iterator(known.parent_path(), ignored))
            own.push_back(file.path().stem().string());
          std::ranges::sort(own);
          return fmt::format("{} is no file, and none of {}{}", name, fmt::join(own, ", "),
                             suggestion(name, own));
        }
        name = known.string();
        return std::string();
      },
      "", "platform by name");
}

std::vector<platform::Platform> read_platforms(const PlatformOptions& options) {
  std::vector<platform::Platform> platforms = read_simulated_platforms(options);
  for (platform::Platform& platform : platforms)
    replay::derive_remote_costs(platform);
  return platforms;
}

std::vector<platform::Platform> read_simulated_platforms(const PlatformOptions& options) {
  std::vector<platform::Platform> platforms;
  for (const std::string& file : options.files)
    platforms.push_back(platform::read_platform(file, options.overrides));
  return platforms;
}

void check_cores(std::span<const Run> runs, std::span<const platform::Platform> platforms,
                 const PlatformOptions& options, std::span<const problem::Placement> placements) {
  const std::vector<std::string> found = oversubscriptions(runs, platforms, placements);
  if (found.empty() || options.oversubscribe) return;
  throw InputError("--ranks-per-node", fmt::format("{} (each needs one)", found.front()),
                   "Give fewer, or --oversubscribe");
}

std::vector<std::string> derived_notes(std::span<const Run> runs, const PlatformOptions& options) {
  std::vector<std::string> notes;
  if (std::ranges::none_of(runs, [](const Run& run) { return run.ranks > run.ranks_per_node; })) return notes;
  for (const std::string& file : options.files) {
    platform::Platform platform = platform::read_platform(file, options.overrides);
    std::ranges::move(replay::derive_remote_costs(platform), std::back_inserter(notes));
  }
  return notes;
}

std::vector<std::string> oversubscription_notes(std::span<const Run> runs,
                                                std::span<const platform::Platform> platforms,
                                                std::span<const problem::Placement> placements) {
  std::vector<std::string> notes;
  for (const platform::Platform& platform : platforms)
    for (const std::string& found : oversubscriptions(runs, {&platform, 1}, placements))
      notes.push_back(fmt::format("Oversubscribed: {}. Times are as if {}.", found,
                                  platform.costs.hardware_threads
                                      ? "they took turns on the cores, and lost no time by that"
                                      : "each had one"));
  return notes;
}

std::vector<std::string> unlike_nodes_notes(std::span<const platform::Platform> platforms) {
  std::vector<std::string> notes;
  for (const platform::Platform& platform : platforms)
    if (!platform.network.empty() && platform.network != "shared")
      notes.push_back(fmt::format("{}: its network is {} (docs/platforms.md), in place of max-min shares",
                                  platform.name, platform.network));
  for (const platform::Platform& platform : platforms)
    if (!platform.nodes.empty())
      notes.push_back(
          fmt::format("{}: nodes are unlike one another, and each is simulated as it is. {}. The closed "
                      "form takes one machine: every node as {}",
                      platform.name, describe_nodes(platform), platform.nodes.front().name));
  return notes;
}

}  // namespace finegrain::cli
