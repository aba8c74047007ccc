// SPDX-License-Identifier: MIT
#include "sim/platform_make/iblinkinfo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/platform_make/iblinkinfo_lines.hpp"
#include "sim/platform_make/infiniband.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

/// A line of a port, and the device that it is of.
struct DevicePort {
  std::size_t device;
  LinkLine line;
};

struct LinkInfo {
  std::vector<InfinibandDevice> devices;
  std::vector<DevicePort> ports;
  std::map<std::string, std::size_t> by_guid;  ///< GUIDs of ports of adapters, and of switches
  std::map<int, std::size_t> by_lid;
};

std::string link_id_of(bool is_switch, const std::string& guid) {
  return fmt::format("{}-{:0>16}", is_switch ? 'S' : 'H', guid);
}

std::string_view without_blanks_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// "CA: node08 mlx5_0:", "Switch: 0x0000000000200001 MF0;leaf2:MQM8790/U1:"
/// @returns whether it is such a line
bool read_section(std::string_view line, const std::string& where, LinkInfo& info) {
  InfinibandDevice device{{}, {}, false, where};
  if (line.starts_with("CA:")) {
    line.remove_prefix(3);
  } else if (line.starts_with("Switch:") || line.starts_with("Router:") || line.starts_with("RT:")) {
    device.is_switch = true;
    line = without_blanks_around(line.substr(line.find(':') + 1));
    const std::string_view guid = line.substr(0, line.find(' '));
    if (!guid.starts_with("0x") || guid.size() < 3 || guid.size() > 18)
      throw InputError(where, fmt::format("'{}' is not a GUID", printable(guid)),
                       "Give what iblinkinfo prints");
    device.id = link_id_of(true, std::string(guid.substr(2)));
    line.remove_prefix(guid.size());
  } else {
    return false;
  }
  line = without_blanks_around(line);
  if (line.ends_with(':')) line.remove_suffix(1);
  device.description = without_blanks_around(line);
  info.devices.push_back(device);
  return true;
}

/// The lines of a file with sections, or without: then all have one device for now.
LinkInfo read_info(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  LinkInfo info;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string where = fmt::format("{}:{}", file.string(), ++number);
    const std::string_view line = without_blanks_around(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line.starts_with('#') || line.starts_with("ibwarn:") || line.starts_with("src/") ||
        read_section(line, where, info))
      continue;
    if (!is_link_line(line))
      throw InputError(where, fmt::format("'{}' is not understood", printable(line.substr(0, 40))),
                       "Give what iblinkinfo prints");
    info.ports.push_back({info.devices.empty() ? 0 : info.devices.size() - 1, parse_link_line(line, where)});
  }
  if (info.ports.empty()) throw InputError(file.string(), "no port is in it", "Give what iblinkinfo prints");
  return info;
}

/// Lines without sections: a GUID on several lines is a switch's, since each port of an adapter has its own.
/// Ports of adapters with the same description, and with different numbers, are of one adapter.
void find_devices(LinkInfo& info) {
  std::map<std::string, int> lines_of_guid;
  for (const DevicePort& port : info.ports) {
    if (port.line.here.guid.empty())
      throw InputError(port.line.where, "a port stands before the first CA or Switch",
                       "Give all of the file");
    ++lines_of_guid[port.line.here.guid];
  }
  std::map<std::string, std::vector<std::pair<int, std::size_t>>> ports_of_description;
  for (DevicePort& port : info.ports) {
    const LinkEnd& here = port.line.here;
    const bool is_switch = lines_of_guid[here.guid] > 1;
    const auto [place, is_new] = info.by_guid.emplace(here.guid, info.devices.size());
    if (is_new && !is_switch) {
      auto& known = ports_of_description[here.description];
      const bool is_repeated =
          std::ranges::any_of(known, [&](const auto& one) { return one.first == here.port; });
      if (!known.empty() && !is_repeated) place->second = known.front().second;
      known.emplace_back(here.port, place->second);
    }
    port.device = place->second;
    if (port.device == info.devices.size())
      info.devices.push_back(
          {link_id_of(is_switch, here.guid), here.description, is_switch, port.line.where});
  }
}

/// Names adapters by the GUIDs of their first ports, and finds devices by the LIDs of their ports.
void index_sections(LinkInfo& info) {
  for (const DevicePort& port : info.ports) {
    const LinkEnd& here = port.line.here;
    InfinibandDevice& device = info.devices[port.device];
    if (device.id.empty()) device.id = link_id_of(false, here.guid);
    if (!here.guid.empty()) info.by_guid.emplace(here.guid, port.device);
    if (!port.line.there) continue;
    const auto [place, is_new] = info.by_lid.emplace(here.lid, port.device);
    if (!is_new && place->second != port.device)
      throw InputError(port.line.where,
                       fmt::format("the LID {} is also that of the device at {}", here.lid,
                                   info.devices[place->second].where),
                       "Give the output of iblinkinfo --line, which has the GUIDs of both ends");
  }
  for (std::size_t device = 0; device < info.devices.size(); ++device)
    if (info.devices[device].id.empty()) info.devices[device].id = fmt::format("H-without-port-{}", device);
}

/// The device at the other end of a line. One that has no lines of its own is an adapter, if no adapter has.
std::size_t device_there(const LinkLine& line, bool has_adapters, LinkInfo& info) {
  const LinkEnd& there = *line.there;
  if (!there.guid.empty()) {
    if (const auto known = info.by_guid.find(there.guid); known != info.by_guid.end()) return known->second;
  } else if (const auto known = info.by_lid.find(there.lid); known != info.by_lid.end()) {
    return known->second;
  }
  if (has_adapters)
    throw InputError(
        line.where,
        fmt::format("'{}' (LID {}) has no lines of its own", printable(there.description), there.lid),
        "The file is not whole: give all that iblinkinfo prints");
  const std::size_t device = info.devices.size();
  info.devices.push_back(
      {there.guid.empty() ? fmt::format("lid-{}", there.lid) : link_id_of(false, there.guid),
       there.description, false, line.where});
  if (there.guid.empty()) {
    info.by_lid.emplace(there.lid, device);
  } else {
    info.by_guid.emplace(there.guid, device);
  }
  return device;
}

/// "a, b, c, ... and 7 more"
std::string some_of(const std::vector<std::string>& all) {
  constexpr std::size_t shown = 5;
  const std::vector<std::string> first(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), shown)));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     all.size() > shown ? fmt::format(", and {} more", all.size() - shown) : "");
}

/// What the lines say of cables that are not as they should be.
struct LinkFaults {
  std::vector<std::string> inactive;
  std::vector<std::string> slow;
  std::size_t down = 0;
};

void add_notes(const LinkFaults& faults, Fabric& fabric) {
  const auto count = [](std::size_t number, const char* what) {
    return format_count(static_cast<std::int64_t>(number), what);
  };
  if (!faults.inactive.empty())
    fabric.notes.push_back(fmt::format("left out: {} that carries no traffic: {}",
                                       count(faults.inactive.size(), "cable"), some_of(faults.inactive)));
  if (!faults.slow.empty())
    fabric.notes.push_back(fmt::format("{} slower than both ends could be: {}",
                                       count(faults.slow.size(), "cable"), some_of(faults.slow)));
  if (faults.down > 0)
    fabric.notes.push_back(
        fmt::format("{} of switches not connected. iblinkinfo does not say which of them have a broken cable",
                    count(faults.down, "port")));
}

/// Nodes without any cable.
void leave_out_unconnected(Fabric& fabric) {
  std::set<std::size_t> connected;
  for (const Cable& cable : fabric.cables) {
    connected.insert(cable.one);
    connected.insert(cable.other);
  }
  std::vector<std::string> names;
  std::vector<std::size_t> becomes;
  std::vector<Vertex> kept;
  for (std::size_t vertex = 0; vertex < fabric.vertices.size(); ++vertex) {
    const Vertex& one = fabric.vertices[vertex];
    becomes.push_back(kept.size());
    if (one.is_switch || connected.contains(vertex)) {
      kept.push_back(one);
    } else {
      names.push_back(one.name);
    }
  }
  if (names.empty()) return;
  fabric.notes.push_back(fmt::format("left out: {} without a cable that carries traffic: {}",
                                     format_count(static_cast<std::int64_t>(names.size()), "node"),
                                     some_of(names)));
  fabric.vertices = std::move(kept);
  for (Cable& cable : fabric.cables) {
    cable.one = becomes[cable.one];
    cable.other = becomes[cable.other];
  }
}

}  // namespace

Fabric read_iblinkinfo(const std::filesystem::path& file) {
  LinkInfo info = read_info(file);
  if (info.devices.empty()) {
    find_devices(info);
  } else {
    index_sections(info);
  }
  const bool has_adapters =
      std::ranges::any_of(info.devices, [](const InfinibandDevice& device) { return !device.is_switch; });
  std::vector<std::size_t> there_of;  // by port
  for (const DevicePort& port : info.ports)
    there_of.push_back(port.line.there ? device_there(port.line, has_adapters, info) : port.device);

  Fabric fabric;
  const std::map<std::string, std::size_t> vertex_of = add_devices(info.devices, fabric);
  LinkFaults faults;
  using End = std::pair<std::size_t, int>;
  std::set<std::pair<End, End>> cables;  // most stand in the file at both of their ends
  for (std::size_t port = 0; port < info.ports.size(); ++port) {
    const auto& [device, line] = info.ports[port];
    if (!line.there) {
      if (!info.devices[device].is_switch) continue;
      ++faults.down;
      continue;
    }
    const auto one = vertex_of.find(info.devices[device].id);
    const auto other = vertex_of.find(info.devices[there_of[port]].id);
    if (one == vertex_of.end() || other == vertex_of.end()) continue;  // an aggregation node
    const End here{device, line.here.port};
    const End there{there_of[port], line.there->port};
    if (!cables.insert(std::minmax(here, there)).second) continue;
    const std::string name = fmt::format("{}-{}_{}-{}", fabric.vertices[one->second].name, line.here.port,
                                         fabric.vertices[other->second].name, line.there->port);
    if (!line.is_active()) {
      faults.inactive.push_back(fmt::format("{} ({})", name, line.state));
      continue;
    }
    if (!line.could_be.empty())
      faults.slow.push_back(
          fmt::format("{} ({}x{}, could be {})", name, line.width, line.rate, line.could_be));
    fabric.cables.push_back({one->second, other->second, name,
                             bandwidth_of_lanes(line.width, line.rate, line.where), line.where});
  }
  if (fabric.cables.empty())
    throw InputError(file.string(), "no cable is active", "Run iblinkinfo while a subnet manager runs");
  add_notes(faults, fabric);
  leave_out_unconnected(fabric);
  if (count_nodes(fabric) == 0)
    throw InputError(file.string(), "no channel adapter (CA) is in it", "Give all of it");
  return fabric;
}

}  // namespace finegrain::platform_make
