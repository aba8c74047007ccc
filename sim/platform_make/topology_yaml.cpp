// SPDX-License-Identifier: MIT
#include "sim/platform_make/topology_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_make/slurm_switches.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::platform_make {
namespace {

/// A part of the file, and what it is called.
struct YamlPart {
  YAML::Node node;
  const std::string& file;

  std::string where() const { return fmt::format("{}:{}", file, node.Mark().line + 1); }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(where(), problem, "Give Slurm's topology.yaml");
  }
  /// What stands after a key; the part itself is a mapping.
  YamlPart at(const char* key) const {
    const YAML::Node found = node.IsMap() ? node[key] : YAML::Node();
    if (!found || found.IsNull()) refuse(fmt::format("there is no '{}'", key));
    return {found, file};
  }
  bool has(const char* key) const { return node.IsMap() && node[key] && !node[key].IsNull(); }
  std::string text() const {
    if (!node.IsScalar()) refuse("a list or mapping stands where a word should");
    return node.Scalar();
  }
  /// Empty: the key is not there.
  std::string text_of(const char* key) const { return has(key) ? at(key).text() : std::string(); }
  std::vector<YamlPart> parts_of(const char* key) const {
    const YamlPart list = at(key);
    if (!list.node.IsSequence()) list.refuse(fmt::format("'{}' is not a list", key));
    std::vector<YamlPart> parts;
    for (const YAML::Node& part : list.node)
      parts.push_back({part, file});
    return parts;
  }
  bool is_true(const char* key) const {
    const std::string word = text_of(key);
    return word == "true" || word == "True" || word == "TRUE";
  }
};

/// Says which keys of a part mean nothing here.
void note_unused(const YamlPart& part, std::initializer_list<std::string_view> known,
                 std::vector<std::string>& notes) {
  for (const auto& entry : part.node) {
    const YamlPart key{entry.first, part.file};
    if (std::ranges::find(known, std::string_view(key.text())) == known.end())
      notes.push_back(fmt::format("{}: '{}' is not used", key.where(), printable(key.text())));
  }
}

Fabric tree_in(const YamlPart& tree) {
  std::vector<SlurmSwitch> switches;
  std::vector<std::string> notes;
  for (const YamlPart& one : tree.parts_of("switches")) {
    switches.push_back(
        {one.at("switch").text(), one.text_of("nodes"), one.text_of("children"), {}, one.where()});
    note_unused(one, {"switch", "nodes", "children"}, notes);
  }
  Fabric fabric = fabric_of_switches(switches, tree.file);
  fabric.notes.insert(fabric.notes.begin(), notes.begin(), notes.end());
  return fabric;
}

std::int64_t size_in(const YamlPart& part) {
  const std::string text = part.text();
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 1 || size > 1'000'000)
    part.refuse(fmt::format("'{}' is not a number of nodes", printable(text)));
  return size;
}

Fabric blocks_in(const YamlPart& block) {
  std::vector<SlurmBlock> blocks;
  std::vector<std::string> notes;
  for (const YamlPart& one : block.parts_of("blocks")) {
    blocks.push_back({one.at("block").text(), one.text_of("nodes"), one.where()});
    note_unused(one, {"block", "nodes"}, notes);
  }
  if (blocks.empty()) block.refuse("there are no blocks");
  std::vector<std::int64_t> sizes;
  if (block.has("block_sizes"))
    for (const YamlPart& size : block.parts_of("block_sizes"))
      sizes.push_back(size_in(size));
  const std::string where_sizes = sizes.empty() ? block.where() : block.at("block_sizes").where();
  Fabric fabric = fabric_of_blocks(blocks, sizes, where_sizes);
  fabric.notes.insert(fabric.notes.begin(), notes.begin(), notes.end());
  return fabric;
}

Fabric topology_in(const YamlPart& topology) {
  if (topology.has("tree") && topology.has("block"))
    topology.refuse("the topology is both a tree and of blocks, which Slurm refuses, too");
  if (topology.has("tree")) return tree_in(topology.at("tree"));
  if (topology.has("block")) return blocks_in(topology.at("block"));
  if (topology.has("flat")) topology.refuse("the topology is flat, so it says nothing of the network");
  topology.refuse("the topology is neither a tree nor of blocks");
}

/// The only topology, or the first that is the cluster's default.
std::size_t chosen_topology(const std::vector<YamlPart>& topologies, const std::string& file) {
  if (topologies.empty()) throw InputError(file, "there is no topology in it", "Give Slurm's topology.yaml");
  if (topologies.size() == 1) return 0;
  const auto chosen = std::ranges::find_if(
      topologies, [](const YamlPart& topology) { return topology.is_true("cluster_default"); });
  if (chosen == topologies.end())
    throw InputError(file,
                     fmt::format("none of its {} topologies has cluster_default: true", topologies.size()),
                     "Give it to the one that is meant, or leave the others out");
  return static_cast<std::size_t>(chosen - topologies.begin());
}

Fabric read_yaml(std::string_view text, const std::string& file) {
  const YAML::Node document = YAML::Load(std::string(text));
  if (!document.IsSequence()) YamlPart{document, file}.refuse("it is not a list of topologies");
  std::vector<YamlPart> topologies;
  for (const YAML::Node& one : document)
    topologies.push_back({one, file});
  const std::size_t chosen = chosen_topology(topologies, file);
  Fabric fabric = topology_in(topologies[chosen]);
  for (std::size_t other = 0; other < topologies.size(); ++other)
    if (other != chosen)
      fabric.notes.push_back(fmt::format("{}: the topology {} is not used, but {}, the cluster's default",
                                         topologies[other].where(),
                                         printable(topologies[other].text_of("topology")),
                                         printable(topologies[chosen].text_of("topology"))));
  return fabric;
}

}  // namespace

bool is_topology_yaml(const std::filesystem::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

Fabric read_topology_yaml(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  try {
    return read_yaml(text, file.string());
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}:{}", file.string(), error.mark.line + 1),
                     fmt::format("not YAML: {}", error.msg), "Correct it");
  }
}

}  // namespace finegrain::platform_make
