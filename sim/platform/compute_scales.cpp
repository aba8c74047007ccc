// SPDX-License-Identifier: MIT
#include "sim/platform/compute_scales.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "sim/platform/enlarged.hpp"
#include "sim/platform/node_elements.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

double parse_scale(std::string_view text, const std::string& where) {
  constexpr double most = 1e6;
  double scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc() || end != text.data() + text.size() || !(scale >= 0 && scale <= most))
    throw InputError(where, fmt::format("'{}' is not a number from 0 to {}", text, most),
                     "Write it like 0.5, or 0.5,slow-*=1.5 with the names of hosts");
  return scale;
}

/// The nodes of a platform on which they are alike, so that they may differ.
std::vector<Node> alike_nodes(const Platform& platform) {
  const PlatformDocument document(platform.file);
  std::vector<std::string> names;
  if (const auto list = node_list(document))
    for (const NodeList::Named& node : list->nodes)
      names.push_back(node.host);
  else
    names = host_names(document);
  if (const auto count = text_property(document, {}, "nodes"))
    names.resize(std::min(names.size(), static_cast<std::size_t>(parse_count(*count, most_nodes))));
  const std::optional<int> cores = platform_facts(platform.file).cores;
  std::vector<Node> nodes;
  for (std::string& name : names)
    nodes.push_back({.name = std::move(name), .cores = cores, .speed = platform.speed});
  return nodes;
}

}  // namespace

ComputeScales parse_compute_scales(const std::string& text, const std::string& where) {
  ComputeScales scales;
  bool has_others = false;
  for (std::string_view rest = text;;) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t equals = item.rfind('=');
    if (equals != std::string_view::npos) {
      scales.of_hosts.push_back(
          {std::string(item.substr(0, equals)), parse_scale(item.substr(equals + 1), where)});
    } else {
      if (has_others)
        throw InputError(where, fmt::format("'{}' has two factors without a name", text), "Give one");
      scales.of_others = parse_scale(item, where);
      has_others = true;
    }
    if (item.size() == rest.size()) break;
    rest.remove_prefix(item.size() + 1);
  }
  if (!scales.of_hosts.empty() && scales.of_others == 0)
    throw InputError(where, "work takes no time on some hosts, and some on others", "Give all a factor");
  return scales;
}

std::string text_of(const ComputeScales& scales) {
  std::string text = fmt::format("{}", scales.of_others);
  for (const ComputeScales::OfHosts& one : scales.of_hosts)
    text += fmt::format(",{}={}", one.names, one.scale);
  return text;
}

void set_compute_scales(Platform& platform, const ComputeScales& scales, const std::string& where) {
  if (scales.of_hosts.empty()) return;
  if (platform.nodes.empty()) platform.nodes = alike_nodes(platform);
  for (Node& node : platform.nodes) {
    const auto own = std::ranges::find_if(scales.of_hosts, [&](const ComputeScales::OfHosts& one) {
      return ::fnmatch(one.names.c_str(), node.name.c_str(), 0) == 0;
    });
    if (own != scales.of_hosts.end()) node.work = own->scale / scales.of_others;
  }
  for (const ComputeScales::OfHosts& one : scales.of_hosts)
    if (std::ranges::none_of(platform.nodes, [&](const Node& node) {
          return ::fnmatch(one.names.c_str(), node.name.c_str(), 0) == 0;
        }))
      throw InputError(where, fmt::format("{} has no host named '{}'", platform.name, one.names),
                       fmt::format("Its hosts are {} to {}; slow-* stands for all that begin with slow-",
                                   platform.nodes.front().name, platform.nodes.back().name));
}

}  // namespace finegrain::platform
