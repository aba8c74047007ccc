// SPDX-License-Identifier: MIT
#include "sim/platform_make/ibnetdiscover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::platform_make {
namespace {

/// What a lane carries, without its coding (8b/10b up to QDR, 64b/66b from FDR10 on): the InfiniBand Trade
/// Association's rates. HDR and later are named by what they carry.
struct LaneRate {
  std::string_view name;
  double gbit_per_s;
};
constexpr std::array<LaneRate, 9> lane_rates{{{"SDR", 2.5 * 8 / 10},
                                              {"DDR", 5. * 8 / 10},
                                              {"QDR", 10. * 8 / 10},
                                              {"FDR10", 10.3125 * 64 / 66},
                                              {"FDR", 14.0625 * 64 / 66},
                                              {"EDR", 25.78125 * 64 / 66},
                                              {"HDR", 50},
                                              {"NDR", 100},
                                              {"XDR", 200}}};

/// A line "[21]  "S-..."[1](...)  # ...", and the device in whose section it stands.
struct PortLine {
  std::string device;
  int port;
  std::string peer;
  int peer_port;
  std::string rate;  ///< "4xHDR"
  std::string where;
};

struct Device {
  std::string guid;  ///< with its kind: "S-b8cef60300e5d2a0", "H-..."
  std::string description;
  std::string where;

  bool is_switch() const { return guid.front() != 'H'; }
  bool is_aggregation() const { return description.find("Aggregation Node") != std::string::npos; }
};

struct Discovered {
  std::vector<Device> devices;
  std::vector<PortLine> ports;
};

/// A line of the file that is read from its beginning on.
struct LineReader {
  std::string_view rest;
  const std::string& where;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(where, problem, "Give what ibnetdiscover prints");
  }
  void skip_spaces() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size())); }
  /// What stands between two characters, of which the first comes next.
  std::string_view between(char open, char close, const char* what) {
    skip_spaces();
    const std::size_t end = rest.empty() ? std::string_view::npos : rest.find(close, 1);
    if (end == std::string_view::npos || rest.front() != open) refuse(fmt::format("there is no {}", what));
    const std::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }
  int port(const char* what) {
    const std::string_view text = between('[', ']', what);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 1000)
      refuse(fmt::format("'{}' is not a port", text));
    return number;
  }
  void skip_parenthesis() {
    skip_spaces();
    if (rest.starts_with('(')) between('(', ')', "GUID of a port");
  }
  std::string device() {
    const std::string_view guid = between('"', '"', "device in quotes, such as \"S-b8cef60300e5d2a0\"");
    if (guid.size() < 3 || guid[1] != '-' ||
        std::string_view("SHR").find(guid.front()) == std::string_view::npos)
      refuse(fmt::format("'{}' is not a switch (S-), an adapter (H-) or a router (R-)", guid));
    return std::string(guid);
  }
};

bool is_rate(std::string_view word) {
  const std::size_t x = word.find('x');
  return x != std::string_view::npos && x > 0 && x + 1 < word.size() &&
         word.substr(0, x).find_first_not_of("0123456789") == std::string_view::npos &&
         std::isupper(static_cast<unsigned char>(word[x + 1])) != 0;
}

/// The last word of the line that is a width and a rate. The description, in quotes, is no part of this.
std::string_view rate_in(std::string_view comment) {
  std::string_view rate;
  comment.remove_prefix(std::min(comment.rfind('"') + 1, comment.size()));  // npos + 1 is 0
  while (!comment.empty()) {
    const std::size_t begin = std::min(comment.find_first_not_of(" \t\r"), comment.size());
    comment.remove_prefix(begin);
    const std::string_view word = comment.substr(0, comment.find_first_of(" \t\r"));
    if (is_rate(word)) rate = word;
    comment.remove_prefix(word.size());
  }
  return rate;
}

PortLine read_port_line(LineReader line, const std::string& device) {
  if (device.empty()) line.refuse("a port stands before the first Switch or Ca");
  PortLine port{device, line.port("port"), {}, 0, {}, line.where};
  line.skip_parenthesis();
  port.peer = line.device();
  port.peer_port = line.port("port of the other end");
  port.rate = rate_in(line.rest);
  if (port.rate.empty()) line.refuse("there is no width and rate at the end, such as 4xHDR");
  return port;
}

/// Switch  40 "S-b8cef60300e5d2a0"  # "leaf-1" enhanced port 0 lid 1 lmc 0
Device read_device_line(LineReader line) {
  line.rest.remove_prefix(std::min(line.rest.find('"'), line.rest.size()));
  Device device{line.device(), {}, line.where};
  const std::size_t open = line.rest.find('"');
  if (open == std::string_view::npos) return device;
  line.rest.remove_prefix(open);
  device.description = line.between('"', '"', "description in quotes");
  return device;
}

bool begins_with_any(std::string_view line, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return line.starts_with(one); });
}

Discovered read_lines(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  Discovered found;
  std::set<std::string> known;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string where = fmt::format("{}:{}", file.string(), ++number);
    LineReader line{text.substr(begin, end - begin), where};
    begin = end + 1;
    line.skip_spaces();
    if (line.rest.starts_with('[')) {
      found.ports.push_back(
          read_port_line(line, found.devices.empty() ? std::string() : found.devices.back().guid));
    } else if (begins_with_any(line.rest, {"Switch", "Ca", "Rt"})) {
      found.devices.push_back(read_device_line(line));
      if (!known.insert(found.devices.back().guid).second)
        line.refuse(fmt::format("{} has a section before", found.devices.back().guid));
    } else if (!line.rest.empty() &&
               !begins_with_any(line.rest, {"#", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=",
                                            "rtguid=", "Chassis", "Non-Chassis", "ibwarn"})) {
      line.refuse(fmt::format("'{}' is not understood", line.rest.substr(0, 40)));
    }
  }
  if (found.devices.empty())
    throw InputError(file.string(), "no Switch and no Ca", "Give what ibnetdiscover prints");
  return found;
}

Number bandwidth_of_rate(const PortLine& port) {
  const std::size_t x = port.rate.find('x');
  const std::string_view speed = std::string_view(port.rate).substr(x + 1);
  const auto lane = std::ranges::find(lane_rates, speed, &LaneRate::name);
  const int width = std::stoi(port.rate.substr(0, std::min(x, std::size_t{4})));
  if (lane == lane_rates.end() || (width != 1 && width != 2 && width != 4 && width != 8 && width != 12))
    throw InputError(port.where, fmt::format("'{}' is not a width and rate of InfiniBand", port.rate),
                     "Known are 1, 2, 4, 8 and 12 x SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR and XDR");
  return {fmt::format("{:.6g}Gbps", width * lane->gbit_per_s), fmt::format("{}: {}", port.where, port.rate)};
}

std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

/// "node001 mlx5_0", "node001 HCA-1", "node001": a name, and at most one word that is the adapter's.
std::string node_name_of(const Device& adapter) {
  const std::string& text = adapter.description;
  const std::size_t space = text.find(' ');
  const bool has_name = !text.empty() && space != 0 &&
                        (space == std::string::npos || text.find(' ', space + 1) == std::string::npos);
  return has_name ? first_word(text) : adapter.guid;
}

/// "leaf-1", or that of "MF0;leaf-1:MQM8790/U1"; empty: the description is no name.
std::string switch_name_in(const std::string& description) {
  const std::size_t semicolon = description.find(';');
  const std::size_t colon = description.find(':');
  if (semicolon != std::string::npos && colon != std::string::npos && semicolon < colon)
    return description.substr(semicolon + 1, colon - semicolon - 1);
  return description.find(' ') == std::string::npos ? description : std::string();
}

/// The vertices of the devices, by their GUIDs.
std::map<std::string, std::size_t> add_vertices(const std::vector<Device>& devices, Fabric& fabric) {
  std::map<std::string, int> uses;          // of names of switches
  std::map<std::string, int> descriptions;  // of adapters
  for (const Device& device : devices)
    ++(device.is_switch() ? uses[switch_name_in(device.description)] : descriptions[device.description]);
  std::map<std::string, std::size_t> vertex_of;
  std::map<std::string, std::size_t> node_of_name;
  int aggregation_nodes = 0;
  for (const Device& device : devices) {
    if (!device.is_switch() && device.is_aggregation()) {
      ++aggregation_nodes;
      continue;
    }
    std::string name = device.is_switch() ? switch_name_in(device.description) : node_name_of(device);
    // "localhost HCA-1" twice is not the same adapter of one node.
    if (!device.is_switch() && descriptions[device.description] > 1) name = device.guid;
    if (device.is_switch() && (name.empty() || uses[name] > 1)) name = device.guid;
    if (!device.is_switch()) {
      const auto [known, is_new] = node_of_name.emplace(name, fabric.vertices.size());
      vertex_of[device.guid] = known->second;
      if (!is_new) continue;
    } else {
      vertex_of[device.guid] = fabric.vertices.size();
    }
    fabric.vertices.push_back({name, device.is_switch(), device.where});
  }
  if (aggregation_nodes > 0)
    fabric.notes.push_back(fmt::format(
        "left out: {} that aggregate for collectives (SHARP) and compute nothing", aggregation_nodes));
  return vertex_of;
}

}  // namespace

Fabric read_ibnetdiscover(const std::filesystem::path& file) {
  const Discovered found = read_lines(file);
  Fabric fabric;
  const std::map<std::string, std::size_t> vertex_of = add_vertices(found.devices, fabric);
  std::set<std::string> known;
  for (const Device& device : found.devices)
    known.insert(device.guid);
  using End = std::pair<std::string, int>;
  std::set<std::pair<End, End>> cables;  // each stands in the file at both of its ends
  for (const PortLine& port : found.ports) {
    if (!known.contains(port.peer))
      throw InputError(port.where, fmt::format("{} has no section of its own", port.peer),
                       "The file is not whole: give all that ibnetdiscover prints");
    const auto one = vertex_of.find(port.device);
    const auto other = vertex_of.find(port.peer);
    if (one == vertex_of.end() || other == vertex_of.end()) continue;  // an aggregation node
    const End here{port.device, port.port};
    const End there{port.peer, port.peer_port};
    if (!cables.insert(std::minmax(here, there)).second) continue;
    fabric.cables.push_back({one->second, other->second,
                             fmt::format("{}-{}_{}-{}", fabric.vertices[one->second].name, port.port,
                                         fabric.vertices[other->second].name, port.peer_port),
                             bandwidth_of_rate(port), port.where});
  }
  if (count_nodes(fabric) == 0)
    throw InputError(file.string(), "no channel adapter (Ca) is in it", "Give all of it");
  return fabric;
}

}  // namespace finegrain::platform_make
