// SPDX-License-Identifier: MIT
#include "sim/platform_make/slurm_files.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sim/platform_make/slurm_switches.hpp"
#include "sim/platform_make/topology_yaml.hpp"
#include "traces/io/host_names.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

/// A line of a Slurm file: its Key=value words. A line that ends in '\' goes on in the next one.
struct SlurmLine {
  std::string where;
  std::vector<std::pair<std::string, std::string>> words;

  /// Slurm reads keys in any case. Empty: the key is not there.
  std::string value_of(const char* key) const {
    for (const auto& [name, value] : words)
      if (::strcasecmp(name.c_str(), key) == 0) return value;
    return {};
  }
};

/// Without blanks beside "=", which Slurm allows, except in quotes.
std::string without_blanks_beside_equals(const std::string& line) {
  constexpr std::string_view blanks = " \t\r";
  std::string text;
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') is_quoted = !is_quoted;
    const bool is_blank = blanks.find(c) != std::string_view::npos;
    if (!is_quoted && is_blank && text.ends_with('=')) continue;
    if (!is_quoted && c == '=') text.resize(text.find_last_not_of(blanks) + 1);
    text += c;
  }
  return text;
}

/// Whether a line that begins with this key is of nodes or switches.
bool is_of_nodes(const std::string& key) {
  return std::ranges::any_of(std::array{"NodeName", "SwitchName", "BlockName"},
                             [&](const char* one) { return ::strcasecmp(key.c_str(), one) == 0; });
}

/// Separates the words of a line. A value may stand in double quotes.
std::vector<std::pair<std::string, std::string>> words_in_line(const std::string& line,
                                                               const std::string& where) {
  std::vector<std::pair<std::string, std::string>> words;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string::npos;
       at = line.find_first_not_of(" \t\r", at)) {
    bool is_quoted = false;
    std::size_t end = at;
    for (; end < line.size() &&
           (is_quoted || std::string_view(" \t\r").find(line[end]) == std::string_view::npos);
         ++end)
      if (line[end] == '"') is_quoted = !is_quoted;
    if (is_quoted) throw InputError(where, "a quote is not closed", "Close it");
    std::string word = line.substr(at, end - at);
    std::erase(word, '"');
    const std::size_t equals = word.find('=');
    const bool says_more = words.empty() || !is_of_nodes(words.front().first);
    if (equals == std::string::npos && !says_more)
      throw InputError(where, fmt::format("'{}' is no Key=value", word),
                       "Write it so; a list of names has no blanks");
    words.emplace_back(word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1));
    at = end;
  }
  return words;
}

std::vector<SlurmLine> read_slurm_lines(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  std::vector<SlurmLine> lines;
  std::string joined;
  int joined_from = 0;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    line.resize(line.find_last_not_of(" \t\r") + 1);
    if (joined.empty()) joined_from = number;
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    joined += line;
    if (goes_on && begin < text.size()) continue;
    const std::string where = fmt::format("{}:{}", file.string(), joined_from);
    auto words = words_in_line(without_blanks_beside_equals(joined), where);
    if (!words.empty()) lines.push_back({where, std::move(words)});
    joined.clear();
  }
  return lines;
}

/// A number from a Slurm line; none: the key is not there.
std::optional<std::int64_t> count_of_key(const SlurmLine& line, const char* key) {
  const std::string text = line.value_of(key);
  if (text.empty()) return std::nullopt;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > 1'000'000'000)
    throw InputError(line.where, fmt::format("{}={} is not a number of at least 1", key, text), "Correct it");
  return count;
}

/// A line of a node, with what the DEFAULT lines before it say where it says nothing.
SlurmLine with_defaults(SlurmLine line, const std::vector<std::pair<std::string, std::string>>& defaults) {
  line.words.insert(line.words.end(), defaults.begin(), defaults.end());
  return line;
}

Numbers numbers_of_node(const SlurmLine& line) {
  Numbers numbers;
  const auto boards = count_of_key(line, "Boards").value_or(1);
  const auto sockets_of_board = count_of_key(line, "SocketsPerBoard");
  const auto sockets = count_of_key(line, "Sockets");
  const auto cores_of_socket = count_of_key(line, "CoresPerSocket");
  const auto threads = count_of_key(line, "ThreadsPerCore");
  const auto cpus = count_of_key(line, "CPUs") ? count_of_key(line, "CPUs") : count_of_key(line, "Procs");
  const auto all_sockets = sockets            ? sockets
                           : sockets_of_board ? std::optional(*sockets_of_board * boards)
                                              : sockets;
  const auto give = [&](const char* name, std::string value, const std::string& origin) {
    numbers[name] = {std::move(value), fmt::format("{}: {}", line.where, origin)};
  };
  if (all_sockets && cores_of_socket) {
    give("cores", std::to_string(*all_sockets * *cores_of_socket),
         fmt::format("{} x CoresPerSocket={}", format_count(*all_sockets, "socket"), *cores_of_socket));
    give("sockets", std::to_string(*all_sockets), format_count(*all_sockets, "socket"));
  } else if (cpus) {
    if (*cpus % threads.value_or(1) != 0)
      throw InputError(line.where,
                       fmt::format("CPUs={} is no multiple of ThreadsPerCore={}", *cpus, *threads),
                       "Correct one of them");
    give("cores", std::to_string(*cpus / threads.value_or(1)),
         fmt::format("CPUs={} / ThreadsPerCore={}", *cpus, threads.value_or(1)));
  }
  if (const auto memory = count_of_key(line, "RealMemory"))
    give("memory_size", fmt::format("{}MiB", *memory), fmt::format("RealMemory={}", *memory));
  return numbers;
}

struct TopologyBlocks {
  std::vector<SlurmBlock> blocks;
  std::vector<std::int64_t> sizes;
  std::string where_sizes;
};

std::vector<std::int64_t> block_sizes_in(const std::string& text, const std::string& where) {
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t size = 0;
    const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, size);
    if (error != std::errc() || last != text.data() + end || size < 1 || size > 1'000'000)
      throw InputError(where, fmt::format("BlockSizes={} are not numbers of nodes", text), "Correct them");
    sizes.push_back(size);
    begin = end + 1;
  }
  return sizes;
}

/// @returns whether it is a line of topology/block
bool read_block_line(const SlurmLine& line, TopologyBlocks& found) {
  if (const std::string sizes = line.value_of("BlockSizes"); !sizes.empty()) {
    found.sizes = block_sizes_in(sizes, line.where);
    found.where_sizes = line.where;
    return true;
  }
  const std::string name = line.value_of("BlockName");
  if (name.empty()) return false;
  found.blocks.push_back({name, line.value_of("Nodes"), line.where});
  return true;
}

/// What stands directly below each vertex: cables lead from the lower to the upper.
std::vector<std::vector<std::size_t>> vertices_below(const Fabric& fabric) {
  std::vector<std::vector<std::size_t>> below(fabric.vertices.size());
  for (const Cable& cable : fabric.cables)
    below[cable.other].push_back(cable.one);
  return below;
}

std::size_t count_nodes_below(const Fabric& fabric, const std::vector<std::vector<std::size_t>>& below,
                              std::size_t vertex) {
  std::size_t nodes = 0;
  std::set<std::size_t> seen{vertex};
  std::vector<std::size_t> to_visit{vertex};
  while (!to_visit.empty()) {
    const std::size_t at = to_visit.back();
    to_visit.pop_back();
    if (!fabric.vertices[at].is_switch) ++nodes;
    for (const std::size_t next : below[at])
      if (seen.insert(next).second) to_visit.push_back(next);
  }
  return nodes;
}

bool lacks_uplinks(const Fabric& fabric, const Cable& cable) {
  return !cable.bandwidth && fabric.vertices[cable.one].is_switch;
}

}  // namespace

Fabric read_topology_conf(const std::filesystem::path& file) {
  if (is_topology_yaml(file)) return read_topology_yaml(file);
  std::vector<SlurmSwitch> switches;
  TopologyBlocks found;
  for (const SlurmLine& line : read_slurm_lines(file)) {
    if (read_block_line(line, found)) continue;
    const std::string name = line.value_of("SwitchName");
    if (name.empty())
      throw InputError(line.where,
                       fmt::format("a line with {} and without SwitchName", line.words.front().first),
                       "Give a topology.conf of topology/tree or topology/block");
    switches.push_back(
        {name, line.value_of("Nodes"), line.value_of("Switches"), line.value_of("LinkSpeed"), line.where});
  }
  if (found.blocks.empty()) return fabric_of_switches(switches, file.string());
  if (!switches.empty())
    throw InputError(switches.front().where, "a switch stands beside blocks", "Give one kind of topology");
  return fabric_of_blocks(found.blocks, found.sizes,
                          found.where_sizes.empty() ? file.string() : found.where_sizes);
}

bool needs_uplinks(const Fabric& fabric) {
  return std::ranges::any_of(fabric.cables, [&](const Cable& cable) { return lacks_uplinks(fabric, cable); });
}

void add_uplinks(Fabric& fabric, const Number& ratio, const Number& link_bandwidth) {
  const double down_to_up = std::stod(ratio.text) / std::stod(ratio.text.substr(ratio.text.find(':') + 1));
  const double of_cable = parse_bandwidth_bytes_per_s(link_bandwidth.text, "link");
  std::map<std::size_t, std::size_t> above;  // switches above each one
  for (const Cable& cable : fabric.cables)
    if (lacks_uplinks(fabric, cable)) ++above[cable.one];
  const auto below_of = vertices_below(fabric);
  std::map<std::size_t, std::size_t> below;  // nodes below each switch
  for (const auto& [vertex, count] : above)
    below[vertex] = count_nodes_below(fabric, below_of, vertex);
  for (Cable& cable : fabric.cables) {
    if (!lacks_uplinks(fabric, cable)) continue;
    const auto switches = static_cast<double>(above[cable.one]);
    const double cables = static_cast<double>(below[cable.one]) / down_to_up / switches;
    cable.bandwidth = Number{
        fmt::format("{:.10g}Gbps", of_cable * cables * 8 / 1e9),
        fmt::format("{:.4g} cables of {}: {} below, {} to the switches above ({}), which are {}", cables,
                    link_bandwidth.text, format_count(static_cast<std::int64_t>(below[cable.one]), "node"),
                    ratio.text, ratio.origin, above[cable.one])};
  }
}

NodeNumbers read_slurm_conf(const std::filesystem::path& file) {
  NodeNumbers nodes;
  std::vector<std::pair<std::string, std::string>> defaults;
  for (const SlurmLine& line : read_slurm_lines(file)) {
    const std::string names = line.value_of("NodeName");
    if (names.empty()) continue;
    if (::strcasecmp(names.c_str(), "DEFAULT") == 0) {
      defaults.insert(defaults.begin(), line.words.begin(), line.words.end());
      continue;
    }
    const Numbers numbers = numbers_of_node(with_defaults(line, defaults));
    for (const std::string& name : names_in_hostlist(names, line.where))
      if (!nodes.emplace(name, numbers).second)
        throw InputError(line.where, fmt::format("node {} has a line before", name), "Name each node once");
  }
  if (nodes.empty())
    throw InputError(file.string(), "no line has NodeName",
                     "Give the file in which they stand: a file that slurm.conf includes is not read");
  return nodes;
}

}  // namespace finegrain::platform_make
