// SPDX-License-Identifier: MIT
#include "sim/replay/link_list.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "sim/platform/natural_order.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/loaded_platform.hpp"

namespace finegrain::replay {
// For bytes.hpp.
auto parts_of(LinkSummary& link) {
  return std::tie(link.name, link.bandwidth_bytes_per_s, link.latency_s, link.from, link.to);
}

namespace {

/// Adds the names of the marked nodes.
void add_marked(const std::vector<bool>& marked, const LoadedPlatform& loaded,
                std::vector<std::string>& names) {
  for (std::size_t node = 0; node < marked.size(); ++node)
    if (marked[node]) names.push_back(loaded.host_name(static_cast<int>(node)));
}

/// The ends of each link: of all routes between two nodes.
void find_ends(LoadedPlatform& loaded, std::vector<LinkSummary>& links) {
  const auto nodes = static_cast<std::size_t>(loaded.nodes());
  std::vector<std::vector<bool>> from(links.size(), std::vector<bool>(nodes));
  std::vector<std::vector<bool>> to = from;
  for (std::size_t source = 0; source < nodes; ++source)
    for (std::size_t target = 0; target < nodes; ++target) {
      if (source == target) continue;
      const LoadedPlatform::Route* route =
          loaded.find_route(static_cast<int>(source), static_cast<int>(target));
      if (route == nullptr) continue;
      for (const auto* crossed : {&route->shared_links, &route->private_links})
        for (const std::size_t link : *crossed) {
          from[link][source] = true;
          to[link][target] = true;
        }
    }
  for (std::size_t link = 0; link < links.size(); ++link) {
    add_marked(from[link], loaded, links[link].from);
    add_marked(to[link], loaded, links[link].to);
  }
}

std::vector<LinkSummary> links_of_file(const std::filesystem::path& file) {
  LoadedPlatform loaded(file);
  std::vector<LinkSummary> links;
  const std::vector<std::string> names = loaded.link_names();
  for (std::size_t link = 0; link < names.size(); ++link)
    links.push_back({names[link], loaded.link_bandwidths_bytes_per_s()[link], loaded.link_latency_s(link)});
  if (static_cast<std::size_t>(loaded.nodes()) <= most_nodes_of_ends) find_ends(loaded, links);
  std::erase_if(links, [](const LinkSummary& link) { return link.name == "__loopback__"; });
  std::ranges::sort(links, platform::natural_less, &LinkSummary::name);
  return links;
}

}  // namespace

std::vector<LinkSummary> summarize_links(const std::filesystem::path& file) {
  std::vector<LinkSummary> links;
  forked<std::vector<LinkSummary>>(
      1, 1, [&](std::size_t /*index*/) { return links_of_file(file); },
      [&](std::size_t /*index*/, std::vector<LinkSummary> found) { links = std::move(found); });
  return links;
}

}  // namespace finegrain::replay
