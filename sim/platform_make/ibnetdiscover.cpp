// SPDX-License-Identifier: MIT
#include "sim/platform_make/ibnetdiscover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/platform_make/infiniband.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::platform_make {
namespace {

/// A line "[21]  "S-..."[1](...)  # ...", and the device in whose section it stands.
struct PortLine {
  std::string device;
  int port;
  std::string peer;
  int peer_port;
  std::string rate;  ///< "4xHDR"
  std::string where;
};

struct Discovered {
  std::vector<InfinibandDevice> devices;
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
InfinibandDevice read_device_line(LineReader line) {
  line.rest.remove_prefix(std::min(line.rest.find('"'), line.rest.size()));
  InfinibandDevice device{line.device(), {}, false, line.where};
  device.is_switch = device.id.front() != 'H';
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
          read_port_line(line, found.devices.empty() ? std::string() : found.devices.back().id));
    } else if (begins_with_any(line.rest, {"Switch", "Ca", "Rt"})) {
      found.devices.push_back(read_device_line(line));
      if (!known.insert(found.devices.back().id).second)
        line.refuse(fmt::format("{} has a section before", found.devices.back().id));
    } else if (!line.rest.empty() &&
               !begins_with_any(line.rest, {"#", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=",
                                            "rtguid=", "Chassis", "Non-Chassis", "ibwarn", "src/"})) {
      line.refuse(fmt::format("'{}' is not understood", line.rest.substr(0, 40)));
    }
  }
  if (found.devices.empty())
    throw InputError(file.string(), "no Switch and no Ca", "Give what ibnetdiscover prints");
  return found;
}

/// "4xHDR" as a bandwidth.
Number bandwidth_of_port(const PortLine& port) {
  const std::size_t x = port.rate.find('x');
  const int width = std::stoi(port.rate.substr(0, std::min(x, std::size_t{4})));
  return bandwidth_of_lanes(width, port.rate.substr(x + 1), port.where);
}

}  // namespace

Fabric read_ibnetdiscover(const std::filesystem::path& file) {
  const Discovered found = read_lines(file);
  Fabric fabric;
  const std::map<std::string, std::size_t> vertex_of = add_devices(found.devices, fabric);
  std::set<std::string> known;
  for (const InfinibandDevice& device : found.devices)
    known.insert(device.id);
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
                             bandwidth_of_port(port), port.where});
  }
  if (count_nodes(fabric) == 0)
    throw InputError(file.string(), "no channel adapter (Ca) is in it", "Give all of it");
  return fabric;
}

}  // namespace finegrain::platform_make
