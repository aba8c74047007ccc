// SPDX-License-Identifier: MIT
#include "sim/cli/platform_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kernels/problem/placement.hpp"
#include "sim/cli/help.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/enlarged.hpp"
#include "sim/platform/host_files.hpp"
#include "sim/platform/node_elements.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/platform/removed_links.hpp"
#include "sim/platform/text_properties.hpp"
#include "sim/replay/platform_summary.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

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

/// The first node that has more ranks than its hostfile gives it slots: "4 ranks on node n0, which has 2
/// slots"; empty if there is none.
std::string node_without_slots(const platform::Platform& platform, const Run& run,
                               const problem::Placement* placement) {
  if (!platform.listed) return "";
  const problem::Placement block(run.ranks, run.ranks_per_node);
  const problem::Placement& ranks = placement != nullptr ? *placement : block;
  for (int node = 0; node < ranks.nodes() && std::cmp_less(node, platform.listed->nodes.size()); ++node) {
    const platform::NodeList::Named& named = platform.listed->nodes[static_cast<std::size_t>(node)];
    const auto on_node = std::ssize(ranks.ranks_of(node));
    if (named.slots && on_node > *named.slots)
      return fmt::format("{} on node {}, which has {}", format_count(on_node, "rank"), named.host,
                         format_count(*named.slots, "slot"));
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
      const std::string too_few_slots =
          node_without_slots(platform, run, placements.empty() ? nullptr : &placements[r]);
      const std::string what =
          !too_few_slots.empty() ? too_few_slots
          : platform.nodes.empty()
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

/// Copies of platforms, which end with the object.
using Copies = std::vector<std::shared_ptr<Temporary>>;

/// Numbers that cannot be read are said with the line that they have in the user's own file.
void check_own(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    platform::read_cost_properties(file, {});
}

/// The user's file of each copy.
std::map<std::string, std::string>& own_files() {
  static std::map<std::string, std::string> files;
  return files;
}

std::string own_file(const std::string& file) {
  const auto own = own_files().find(file);
  return own == own_files().end() ? file : own->second;
}

/// Writes a text as a platform file of this name, and names that file in the options.
/// @param own  what errors say of it: the file that it is a changed copy of
void add_copy(PlatformOptions& options, const std::string& own, const std::string& name,
              const std::string& text, Copies& copies) {
  const auto folder =
      std::make_shared<Temporary>(std::filesystem::temp_directory_path() / "finegrain-platform");
  folder->make_folder();
  copies.push_back(folder);
  const std::filesystem::path copy = folder->path() / name;
  AtomicFile out(copy, platform::enlarged_platform_kind());
  out.write(text);
  out.commit();
  options.files.push_back(copy.string());
  own_files().emplace(copy.string(), own);
}

/// Writes each platform with this number of nodes, and names that file in its place.
Copies enlarge(PlatformOptions& options, int nodes) {
  Copies copies;
  check_own(options.files);
  const auto files = std::exchange(options.files, {});
  for (const auto& [file, text] : with_nodes(files, nodes))
    add_copy(options, fmt::format("{} (--nodes {})", own_file(file), nodes),
             fmt::format("{}_{}.xml", std::filesystem::path(file).stem().string(), nodes), text, copies);
  return copies;
}

/// Writes each platform with the nodes that a hostfile or a rankfile names, and names that file in its place.
/// @param read  the list of nodes of a file, for a platform's hosts and the nodes that it has so far
Copies take_nodes(PlatformOptions& options,
                  const std::function<platform::NodeList(const std::vector<std::string>& hosts,
                                                         const platform::NodeList& nodes)>& read) {
  Copies copies;
  check_own(options.files);
  for (const std::string& file : std::exchange(options.files, {})) {
    const platform::PlatformDocument document(file);
    const platform::NodeList list =
        read(host_names(document), node_list(document).value_or(platform::NodeList{}));
    add_copy(options, own_file(file), std::filesystem::path(file).filename().string(),
             with_node_list(file, list), copies);
  }
  return copies;
}

/// As a hostfile of all nodes does, where there is none: ranks that are dealt out go to all of them.
Copies take_all_nodes(PlatformOptions& options) {
  Copies copies;
  for (const std::string& file : std::exchange(options.files, {})) {
    const platform::PlatformDocument document(file);
    if (node_list(document)) {
      options.files.push_back(file);
      continue;
    }
    std::vector<std::string> hosts = host_names(document);
    if (const auto nodes = text_property(document, {}, "nodes"))
      hosts.resize(
          std::min(hosts.size(), static_cast<std::size_t>(parse_count(*nodes, platform::most_nodes))));
    const bool have_cores = platform::platform_facts(file).cores.has_value();
    platform::NodeList list;
    for (std::string& host : hosts)
      list.nodes.push_back({std::move(host), have_cores ? std::nullopt : std::optional(problem::most_ranks)});
    add_copy(options, own_file(file), std::filesystem::path(file).filename().string(),
             with_node_list(file, list), copies);
  }
  return copies;
}

/// What says where ranks are, for tables; empty where it is not a hostfile or a rankfile.
std::string note_of_list(const platform::Platform& platform) {
  if (!platform.listed) return "";
  std::vector<std::string> names;
  for (const platform::NodeList::Named& node : platform.listed->nodes)
    names.push_back(node.host);
  return fmt::format(
      "{}: {}, {}", platform.name,
      names.size() == 1 ? "its node is " + names.front() : "its nodes are " + platform::names_of(names),
      platform.listed->nodes_of_ranks.empty() ? "in this order"
                                              : "with the ranks that the rankfile gives them");
}

}  // namespace

void add_platform_options(CLI::App& command, PlatformOptions& options) {
  command
      .add_option("--platform", options.files,
                  "SimGrid platform files, e.g. my.xml; or one of finegrain's own by its name, e.g. abel")
      ->delimiter(',')
      ->transform(platform_by_name())
      ->required();
  CLI::Option* rankfile = add_machine_changes(command, options).back();
  for (const char* const flag : {"--placement", "--ranks-per-node", "--map-by"})
    if (CLI::Option* const other = command.get_option_no_throw(flag)) rankfile->excludes(other);
  if (CLI::Option* const map_by = command.get_option_no_throw("--map-by"))
    command.parse_complete_callback([&options, &command, map_by, kept = Copies()]() mutable {
      const CLI::Option* const of_node = command.get_option_no_throw("--ranks-per-node");
      if (!map_by->empty() && is_by_node(map_by->as<std::string>()) && options.host_files.empty() &&
          (of_node == nullptr || of_node->empty()))
        kept = take_all_nodes(options);
    });
  add_overrides(command, options.overrides,
                "Costs that the file lacks, or that replace its own, e.g. tau=3.4us or "
                "tau=3.4us,local_latency=300ns, or factors, e.g. link_latency=x2, also of one link, e.g. "
                "'link:leaf3 bandwidth=x0.25' (docs/platforms.md)");
  // After --set, which replaces what is there.
  command.add_option_function<std::string>(
      "--routing",
      [&options](const std::string& routing) { options.overrides.push_back("routing=" + routing); },
      "Which ways messages take: minimal (SimGrid's), spray or adaptive in a fat tree, valiant or ugal in a "
      "dragonfly (docs/routing.md)");
  command.add_flag("--oversubscribe", options.oversubscribe,
                   "Allow more ranks x threads on a node than the platform has cores, as if each had one");
}

std::vector<CLI::Option*> add_machine_changes(CLI::App& command, PlatformOptions& options) {
  // Called after what names the files, which it takes. The command keeps the changed ones.
  CLI::Option* const more_nodes =
      command
          .add_option_function<int>(
              "--nodes", [&options, kept = Copies()](int nodes) mutable { kept = enlarge(options, nodes); },
              "Use the platform with this many nodes: its first ones, or more, where its cluster grows by "
              "its own rule (a cluster by ports of its switch, a fat tree by subtrees, a torus by its "
              "shortest dimensions, a dragonfly by groups). Of several platforms, those that cannot grow so "
              "far are left out")
          ->check(CLI::Range(1, platform::most_nodes));
  CLI::Option* const without =
      command
          .add_option_function<std::vector<std::string>>(
              "--without",
              [&options, kept = Copies()](const std::vector<std::string>& links) mutable {
                check_own(options.files);
                for (const std::string& file : std::exchange(options.files, {}))
                  add_copy(options, own_file(file), std::filesystem::path(file).filename().string(),
                           platform::without_links(platform::PlatformDocument(file), links), kept);
              },
              "Leave out this broken link, e.g. link:leaf3 (repeatable): messages take other ways, where the "
              "platform's "
              "routing looks for them")
          ->allow_extra_args(false);
  CLI::Option* const hostfile = command.add_option_function<std::string>(
      "--hostfile",
      [&options, kept = Copies()](const std::string& file) mutable {
        options.host_files.push_back(file);
        kept = take_nodes(
            options, [&](const auto& hosts, const auto&) { return platform::read_hostfile(file, hosts); });
      },
      "Use these hosts of the platform, in the order of a file with lines such as node1 slots=4 (Open MPI), "
      "node1:4 (MPICH) or node[1-4] (Slurm). slots: the most ranks there (docs/platforms.md)");
  CLI::Option* const rankfile = command.add_option_function<std::string>(
      "--rankfile",
      [&options, kept = Copies()](const std::string& file) mutable {
        options.host_files.push_back(file);
        kept = take_nodes(options, [&](const auto& hosts, const auto& nodes) {
          return platform::read_rankfile(file, hosts, nodes);
        });
      },
      "Put each rank on the host that a file gives it: lines such as rank 3=node1 slot=0:1-2 (Open MPI), or "
      "a host for each rank (SLURM_HOSTFILE)");
  return {more_nodes, without, hostfile, rankfile};
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& help) {
  const auto split = [&overrides](const std::vector<std::string>& texts) {
    overrides = platform::split_overrides(texts);
  };
  return command.add_option_function<std::vector<std::string>>("--set", split, help)->allow_extra_args(false);
}

std::string with_own_files(std::string text) {
  for (const auto& [copy, own] : own_files())
    for (std::size_t place = text.find(copy); place != std::string::npos; place = text.find(copy, place)) {
      std::size_t end = place + copy.size();
      // A line of the copy is not the line of the file.
      if (end + 1 < text.size() && text[end] == ':' &&
          std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0)
        end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
      text.replace(place, end - place, own);
    }
  return text;
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
  static std::set<std::string> warned;  // a command may read a platform several times
  std::vector<platform::Platform> platforms;
  const std::vector<std::string> names =
      platform::names_of_files({options.files.begin(), options.files.end()});
  for (const std::string& file : options.files) {
    platform::Platform& read = platforms.emplace_back(platform::read_platform(file, options.overrides));
    read.name = names[platforms.size() - 1];
    if (!warned.insert(file).second) continue;
    if (read.ignores_wattages)
      spdlog::warn(
          "{}: no energy is computed: wattage_per_state counts where all hosts have the same, and the same "
          "core and pstate. Give socket_power (docs/platforms.md)",
          file);
    if (!read.ignored_settings.empty())
      spdlog::warn(
          "{}: settings of its <config> are not followed: {}. Properties say what is simulated "
          "(docs/platforms.md)",
          file, fmt::join(read.ignored_settings, ", "));
  }
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
    if (!platform.routing.empty() && platform.routing != "minimal")
      notes.push_back(fmt::format("{}: its routing is {} (docs/routing.md), in place of SimGrid's one way",
                                  platform.name, platform.routing));
  for (const platform::Platform& platform : platforms)
    if (const std::string note = note_of_list(platform); !note.empty()) notes.push_back(note);
  for (const platform::Platform& platform : platforms)
    if (kinds_of(platform.nodes).size() > 1)
      notes.push_back(
          fmt::format("{}: nodes are unlike one another, and each is simulated as it is. {}. The closed "
                      "form takes one machine: every node as {}",
                      platform.name, describe_nodes(platform), platform.nodes.front().name));
  return notes;
}

}  // namespace finegrain::cli
