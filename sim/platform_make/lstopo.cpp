// SPDX-License-Identifier: MIT
#include "sim/platform_make/lstopo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string_view>

#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

constexpr std::string_view network_device = "2";  // HWLOC_OBJ_OSDEV_NETWORK
constexpr std::string_view openfabrics_device = "3";

std::string place_in(std::string_view text, std::ptrdiff_t offset, const std::string& file) {
  const auto lines =
      std::ranges::count(text.substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))), '\n');
  return fmt::format("{}:{}", file, lines + 1);
}

/// What the file's objects are, counted.
struct CountedObjects : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    if (std::string_view(node.name()) == "object") count(node);
    return true;
  }

  std::int64_t cores = 0;
  std::int64_t threads = 0;  ///< PUs
  std::vector<pugi::xml_node> sockets;
  std::map<std::string, int> domains;  ///< memories of cores, by their cpusets
  double memory_bytes = 0;
  double other_memory_bytes = 0;            ///< that of GPUs, on packages
  std::map<std::string, std::string> nics;  ///< the socket of each network adapter

 private:
  void count(const pugi::xml_node& object) {
    const std::string_view type = object.attribute("type").value();
    if (type == "Core") ++cores;
    if (type == "PU") ++threads;
    if (type == "Package" || type == "Socket") sockets.push_back(object);
    if (type == "NUMANode" || type == "Machine") add_memory(object, type == "NUMANode");
    if (type == "OSDev") add_device(object);
  }

  /// hwloc 1 gives the memory of a machine without NUMA nodes to the machine.
  void add_memory(const pugi::xml_node& object, bool is_domain) {
    const double bytes = static_cast<double>(object.attribute("local_memory").as_ullong());
    const std::string cpus = object.attribute("cpuset").value();
    const bool has_cpus = cpus.find_first_not_of("0x,") != std::string::npos;
    const bool is_special = object.attribute("subtype") != nullptr &&
                            std::string_view(object.attribute("subtype").value()) != "DRAM";
    (is_domain && (is_special || !has_cpus) ? other_memory_bytes : memory_bytes) += bytes;
    if (is_domain && has_cpus && !is_special) ++domains[cpus];
  }

  void add_device(const pugi::xml_node& object) {
    const std::string_view kind = object.attribute("osdev_type").value();
    if (kind != network_device && kind != openfabrics_device) return;
    pugi::xml_node above = object.parent();
    while (above && std::string_view(above.attribute("type").value()) != "Package" &&
           std::string_view(above.attribute("type").value()) != "Socket")
      above = above.parent();
    nics[printable(object.attribute("name").value())] =
        above ? fmt::format("on socket {}", above.attribute("os_index").value()) : "on no socket";
  }
};

/// Sockets that have a memory each are memory domains. What is finer than sockets is not simulated.
void add_domains(std::int64_t domains, std::int64_t sockets, const std::string& where, LstopoNode& node) {
  if (sockets > 1 && domains >= sockets)
    node.numbers["memory_domains"] = {
        std::to_string(sockets),
        fmt::format(
            "{}: {}, {}", where, format_count(domains, "NUMA node"),
            domains == sockets ? "one for each socket" : "of which those of one socket count as one")};
  if (domains > std::max<std::int64_t>(sockets, 1))
    node.notes.push_back(fmt::format("{}: {} in {}: those of one socket count as one memory", where,
                                     format_count(domains, "NUMA node"), format_count(sockets, "socket")));
}

/// Cores below each of the sockets, if these are unlike: "4, 8".
std::string unlike_sockets(const std::vector<pugi::xml_node>& sockets) {
  std::vector<std::int64_t> cores;
  for (const pugi::xml_node& socket : sockets) {
    CountedObjects below;
    pugi::xml_node copy = socket;
    copy.traverse(below);
    cores.push_back(below.cores);
  }
  const bool are_alike = std::ranges::all_of(cores, [&](std::int64_t one) { return one == cores.front(); });
  return are_alike ? std::string() : fmt::format("{}", fmt::join(cores, ", "));
}

LstopoNode node_of(const CountedObjects& found, const std::string& where) {
  LstopoNode node;
  const auto give = [&](const char* name, std::string value, const std::string& origin) {
    node.numbers[name] = {std::move(value), fmt::format("{}: {}", where, origin)};
  };
  const auto sockets = static_cast<std::int64_t>(found.sockets.size());
  const std::int64_t cores = found.cores > 0 ? found.cores : found.threads;
  give("cores", std::to_string(cores),
       found.cores > 0 ? format_count(cores, "Core")
                       : fmt::format("{} and no Core", format_count(cores, "PU")));
  if (sockets > 0 && cores % sockets == 0)
    give("sockets", std::to_string(sockets), format_count(sockets, "package"));
  if (found.threads > cores && found.threads % cores == 0)
    give("hardware_threads_per_core", std::to_string(found.threads / cores),
         fmt::format("{} on {}", format_count(found.threads, "PU"), format_count(cores, "Core")));
  if (found.threads > cores && found.threads % cores != 0)
    node.notes.push_back(
        fmt::format("{}: {} PUs on {} cores: some cores have more hardware threads than others, and all "
                    "count as having one",
                    where, found.threads, cores));
  if (found.memory_bytes > 0)
    give("memory_size", fmt::format("{:.0f}B", found.memory_bytes), "local_memory of its NUMA nodes");
  if (found.other_memory_bytes > 0)
    node.notes.push_back(fmt::format("{}: {} of memory of GPUs, on packages or without cores does not count",
                                     where, format_size(found.other_memory_bytes)));
  if (const std::string unlike = unlike_sockets(found.sockets); !unlike.empty())
    node.notes.push_back(fmt::format("{}: its sockets have {} cores, and count as alike", where, unlike));
  if (node.numbers.contains("sockets"))
    add_domains(static_cast<std::int64_t>(found.domains.size()), sockets, where, node);
  std::vector<std::string> nics;
  for (const auto& [name, socket] : found.nics)
    nics.push_back(fmt::format("{} {}", name, socket));
  if (!nics.empty() && sockets > 1)
    node.notes.push_back(fmt::format("{}: {}: the way from another socket to it costs nothing here", where,
                                     fmt::join(nics, ", ")));
  return node;
}

}  // namespace

LstopoNode read_lstopo(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    throw InputError(place_in(text, parsed.offset, file.string()),
                     fmt::format("malformed XML ({})", parsed.description()),
                     "Give what lstopo --of xml prints");
  const pugi::xml_node topology = document.document_element();
  const std::string where = place_in(text, topology.offset_debug(), file.string());
  if (std::string_view(topology.name()) != "topology")
    throw InputError(where, fmt::format("<{}> is not hwloc's <topology>", printable(topology.name())),
                     "Give what lstopo --of xml prints");
  CountedObjects found;
  document.traverse(found);
  if (found.threads == 0) throw InputError(where, "no PU is in it", "Give what lstopo --of xml prints");
  return node_of(found, file.string());
}

}  // namespace finegrain::platform_make
