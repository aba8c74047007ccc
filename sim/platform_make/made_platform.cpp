// SPDX-License-Identifier: MIT
#include "sim/platform_make/made_platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sim/platform/rails.hpp"
#include "sim/platform/removed_links.hpp"
#include "sim/platform_make/cluster_shape.hpp"
#include "sim/platform_make/iblinkinfo.hpp"
#include "sim/platform_make/ibnetdiscover.hpp"
#include "sim/platform_make/lstopo.hpp"
#include "sim/platform_make/made_xml.hpp"
#include "sim/platform_make/measured_points.hpp"
#include "sim/platform_make/point_fits.hpp"
#include "sim/platform_make/slurm_files.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

std::string names_of_sources(const Sources& sources) {
  std::vector<std::string> names;
  if (!sources.line.empty()) names.push_back(fmt::format("'{}'", sources.line));
  for (const std::filesystem::path& file : files_of(sources))
    names.push_back(file.string());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Exactly one source has the network.
void check_one_network(const Sources& sources, const MachineLine& line) {
  std::vector<std::string> networks;
  if (!line.network.empty()) networks.push_back(line.network + " in the line");
  for (const std::filesystem::path& file :
       {sources.slurm_topology, sources.ibnetdiscover, sources.iblinkinfo})
    if (!file.empty()) networks.push_back(file.string());
  if (networks.size() == 1) return;
  throw InputError("",
                   networks.empty()
                       ? "nothing says what the network is"
                       : fmt::format("there are several networks: {}", fmt::join(networks, ", ")),
                   "Give one: 'fat_tree: ...', dragonfly, torus or switch in the line, --slurm-topology, "
                   "--ibnetdiscover or --iblinkinfo");
}

/// Nodes that Slurm has, and the network has not.
std::string note_of_absent(const Fabric& fabric, const NodeNumbers& of_nodes) {
  std::set<std::string> present;
  for (const Vertex& vertex : fabric.vertices)
    present.insert(vertex.name);
  std::vector<std::string> absent;
  for (const auto& [name, numbers] : of_nodes)
    if (!present.contains(name)) absent.push_back(name);
  if (absent.empty()) return {};
  constexpr std::size_t shown = 5;
  const std::size_t all = absent.size();
  absent.resize(std::min(all, shown));
  return fmt::format("left out: {} of slurm.conf that the network does not have: {}{}",
                     format_count(static_cast<std::int64_t>(all), "node"), fmt::join(absent, ", "),
                     all > shown ? ", ..." : "");
}

/// In a topology.conf, all nodes are Slurm's.
void check_all_known(const Fabric& fabric, const NodeNumbers& of_nodes, const std::filesystem::path& conf) {
  for (const Vertex& vertex : fabric.vertices)
    if (!vertex.is_switch && !of_nodes.contains(vertex.name))
      throw InputError(vertex.where,
                       fmt::format("node {} has no NodeName line in {}", vertex.name, conf.string()),
                       "Add it there, or leave the node out here");
}

/// The line's cores count for all nodes, whatever slurm.conf says.
void prefer_line(const Numbers& of_line, NodeNumbers& of_nodes) {
  for (auto& [name, numbers] : of_nodes)
    for (const char* key : {"cores", "sockets", "memory_size"})
      if (const auto given = of_line.find(key); given != of_line.end()) numbers[key] = given->second;
}

bool all_have_bandwidth(const Fabric& fabric) {
  return std::ranges::all_of(fabric.cables, [](const Cable& cable) { return cable.bandwidth.has_value(); });
}

std::vector<NeededNumber> needed_for(const Fabric& fabric, const NodeNumbers& of_nodes,
                                     const Numbers& numbers) {
  std::int64_t cores = 0;
  bool all_have_cores = !of_nodes.empty();
  for (const Vertex& vertex : fabric.vertices) {
    const auto node = of_nodes.find(vertex.name);
    if (node == of_nodes.end()) continue;
    const auto own = node->second.find("cores");
    all_have_cores = all_have_cores && own != node->second.end();
    if (own != node->second.end() && cores == 0) cores = std::stoll(own->second.text);
  }
  if (const auto given = numbers.find("cores"); given != numbers.end() && cores == 0)
    cores = std::stoll(given->second.text);
  std::vector<NeededNumber> needed = needed_numbers("", cores);
  std::erase_if(needed, [&](const NeededNumber& one) {
    return (one.name == "cores" && all_have_cores) ||
           (one.name == "link_bandwidth" && all_have_bandwidth(fabric));
  });
  if (needs_uplinks(fabric)) needed.push_back(needed_uplinks());
  return needed;
}

/// Gives what lstopo says of a node, where the line says nothing of its cores.
/// @returns notes
std::vector<std::string> add_lstopo(const std::filesystem::path& file, Numbers& of_line) {
  if (file.empty()) return {};
  LstopoNode node = read_lstopo(file);
  if (of_line.contains("cores")) {
    node.notes.push_back(fmt::format("{}: cores and sockets are the line's", file.string()));
    for (const char* name : {"cores", "sockets", "memory_domains", "hardware_threads_per_core"})
      node.numbers.erase(name);
  }
  of_line.merge(node.numbers);
  return node.notes;
}

/// What lstopo says of one node counts for those of slurm.conf, too. @returns notes on those that are unlike
std::vector<std::string> compare_with_lstopo(const NodeNumbers& of_nodes, Numbers& numbers) {
  std::vector<std::string> unlike;
  bool has_other_sockets = false;
  for (const auto& [name, of_node] : of_nodes) {
    const auto differs = [&numbers, &own_numbers = of_node](const char* key) {
      const auto own = own_numbers.find(key);
      const auto common = numbers.find(key);
      return own != own_numbers.end() && common != numbers.end() && own->second.text != common->second.text;
    };
    has_other_sockets = has_other_sockets || differs("sockets");
    if (differs("cores") || differs("sockets")) unlike.push_back(name);
  }
  if (unlike.empty()) return {};
  if (has_other_sockets) numbers.erase("memory_domains");
  return {fmt::format(
      "lstopo's node has other cores or sockets than slurm.conf gives {}: {}{}",
      unlike.size() == 1 ? unlike.front() : fmt::format("{} and {} more", unlike.front(), unlike.size() - 1),
      "slurm.conf's count, and hardware threads are lstopo's",
      has_other_sockets ? ", and memory domains are left out" : "")};
}

/// Gives what was measured between nodes, where the line says nothing of it.
MeasuredPoints add_measured(const std::vector<std::filesystem::path>& files, Numbers& of_line) {
  MeasuredPoints points;
  if (files.empty()) return points;
  for (const std::filesystem::path& file : files)
    add_measured_file(file, points);
  const std::vector<NeededNumber> needed = needed_numbers("", 0);
  const auto overhead = std::ranges::find(needed, "message_overhead", &NeededNumber::name);
  of_line.merge(numbers_of_points(points, of_line, {overhead->typical, "typical, not measured", true}));
  return points;
}

/// Takes broken cables out of the fabric.
void leave_out(const std::vector<std::string>& links, Fabric& fabric) {
  for (const std::string& text : links) {
    const std::string name = platform::removed_link(text);
    if (std::erase_if(fabric.cables, [&](const Cable& cable) { return cable.name == name; }) == 0)
      throw InputError("--without " + text, "there is no cable of this name",
                       "finegrain platform FILE --links prints those of a file");
    fabric.notes.push_back(fmt::format("left out, as asked: the cable {}", name));
  }
}

Fabric read_network(const Sources& sources) {
  if (!sources.ibnetdiscover.empty()) return read_ibnetdiscover(sources.ibnetdiscover);
  if (!sources.iblinkinfo.empty()) return read_iblinkinfo(sources.iblinkinfo);
  return read_topology_conf(sources.slurm_topology);
}

MadePlatform fabric_platform(const Sources& sources, MachineLine line, Missing missing) {
  Fabric fabric = read_network(sources);
  if (const auto rails = line.numbers.find("rails"); rails != line.numbers.end())
    throw InputError(
        "node", fmt::format("'{} rails' beside the network of a file", rails->second.text),
        "Leave it out: each cable of the file is one, and messages go by the shortest of several "
        "ways. Rails are of a network in the line");
  leave_out(sources.without, fabric);
  NodeNumbers of_nodes;
  if (!sources.slurm_conf.empty()) of_nodes = read_slurm_conf(sources.slurm_conf);
  if (!sources.slurm_conf.empty() && !sources.slurm_topology.empty())
    check_all_known(fabric, of_nodes, sources.slurm_conf);
  if (const std::string note = note_of_absent(fabric, of_nodes); !note.empty()) fabric.notes.push_back(note);
  prefer_line(line.numbers, of_nodes);
  const auto append = [&](const std::vector<std::string>& notes) {
    fabric.notes.insert(fabric.notes.end(), notes.begin(), notes.end());
  };
  const MeasuredPoints measured = add_measured(sources.measured, line.numbers);
  append(measured.notes);
  if (!sources.measured.empty() && line.numbers.contains("link_bandwidth") && all_have_bandwidth(fabric))
    fabric.notes.push_back(
        fmt::format("the measured link_bandwidth is not used, nor how it depends on sizes, because each "
                    "cable has its own: {}",
                    line.numbers.find("link_bandwidth")->second.origin));
  append(add_lstopo(sources.lstopo, line.numbers));
  if (!sources.lstopo.empty()) append(compare_with_lstopo(of_nodes, line.numbers));
  Numbers numbers = with_needed_numbers(line.numbers, needed_for(fabric, of_nodes, line.numbers), missing);
  if (!all_have_bandwidth(fabric)) add_size_factors(measured, numbers);
  if (needs_uplinks(fabric))
    add_uplinks(fabric, numbers.find("ratio")->second, numbers.find("link_bandwidth")->second);
  return {fabric_xml(fabric, numbers, of_nodes, names_of_sources(sources)), fabric.notes};
}

void check_rails(const Numbers& numbers) {
  const auto rails = numbers.find("rails");
  const int count = rails == numbers.end() ? 1 : std::stoi(rails->second.text);
  if (count > platform::most_rails)
    throw InputError("node",
                     fmt::format("{} rails are more than a node has ({})", count, platform::most_rails),
                     "Give fewer");
  for (const char* of_rails : {"rail_choice", "stripe_above"})
    if (count == 1 && numbers.contains(of_rails))
      throw InputError("node", fmt::format("{}, and there is one rail", of_rails),
                       "Give rails, or leave it out");
}

MadePlatform regular_platform(const Sources& sources, MachineLine line, Missing missing) {
  check_rails(line.numbers);
  if (!sources.without.empty())
    throw InputError(
        "--without", "a network of the line has rules for its ways, which need every link",
        "Make a link slow instead, where the platform is used: --set 'link:NAME bandwidth=x0.001'");
  if (!sources.slurm_conf.empty())
    throw InputError("--slurm-conf", "a network of the line has nodes of its own",
                     "Give the nodes in the line ('node: 2 x 64 cores'), or --slurm-topology");
  const MeasuredPoints measured = add_measured(sources.measured, line.numbers);
  std::vector<std::string> notes = measured.notes;
  for (const std::string& note : add_lstopo(sources.lstopo, line.numbers))
    notes.push_back(note);
  const auto given_cores = line.numbers.find("cores");
  const std::int64_t cores = given_cores == line.numbers.end() ? 0 : std::stoll(given_cores->second.text);
  if (line.numbers.contains("ratio") && line.network != "fat_tree" && line.network != "rail_optimised")
    throw InputError("uplinks", fmt::format("a {} has none", line.network), "Leave them out");
  line.numbers = with_needed_numbers(line.numbers, needed_numbers(line.network, cores), missing);
  add_size_factors(measured, line.numbers);
  return {cluster_xml(cluster_shape(line), line.numbers, names_of_sources(sources), notes), notes};
}

}  // namespace

std::vector<std::filesystem::path> files_of(const Sources& sources) {
  std::vector<std::filesystem::path> files{sources.slurm_topology, sources.slurm_conf, sources.ibnetdiscover,
                                           sources.iblinkinfo, sources.lstopo};
  files.insert(files.end(), sources.measured.begin(), sources.measured.end());
  std::erase_if(files, [](const std::filesystem::path& file) { return file.empty(); });
  return files;
}

MadePlatform make_platform(const Sources& sources, Missing missing) {
  const MachineLine line = parse_machine_line(sources.line);
  check_one_network(sources, line);
  return line.network.empty() ? fabric_platform(sources, line, missing)
                              : regular_platform(sources, line, missing);
}

}  // namespace finegrain::platform_make
