// SPDX-License-Identifier: MIT
#include "sim/platform/enlarged.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/rails.hpp"
#include "sim/platform/simgrid_limits.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

constexpr std::string_view mark = "Enlarged by finegrain platform to ";
constexpr std::string_view mark_of_fewer = "Reduced by finegrain platform to ";

using Numbers = std::vector<std::int64_t>;

/// "2;16,8;1,16" as {{2}, {16, 8}, {1, 16}}; none if the text has another form.
std::optional<std::vector<Numbers>> parse_parameters(std::string_view text) {
  std::vector<Numbers> groups(1);
  for (const char* at = text.data(); at != text.data() + text.size();) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error != std::errc() || number < 1 || number > 1'000'000) return std::nullopt;
    groups.back().push_back(number);
    at = end;
    if (at == text.data() + text.size()) return groups;
    if (*at == ';') groups.emplace_back();
    if (*at != ';' && *at != ',') return std::nullopt;
    ++at;
  }
  return std::nullopt;
}

std::string text_of(const std::vector<Numbers>& groups) {
  std::vector<std::string> texts;
  for (const Numbers& group : groups)
    texts.push_back(fmt::format("{}", fmt::join(group, ",")));
  return fmt::format("{}", fmt::join(texts, ";"));
}

std::int64_t product(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

/// The number of nodes asked for is between two that the cluster's rule leads to.
struct BetweenMultiples : InputError {
  BetweenMultiples(const std::string& where, const std::string& what, std::int64_t next_nodes)
      : InputError(where, what, fmt::format("Give {}", next_nodes)), next(next_nodes) {}
  std::int64_t next;  ///< the smallest possible number above it
};

struct Growth {
  std::string parameters;  ///< topo_parameters
  std::string how;
};

/// A cluster of a platform file, with what errors need.
struct Cluster {
  pugi::xml_node element;
  std::string where;
  int nodes;  ///< how many it is to have

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw InputError(where, what, remedy);
  }
  /// nodes / of_each. Nodes can only be added in groups of `of_each`.
  /// @throws BetweenMultiples if the result is not a whole number
  std::int64_t number_of(std::int64_t of_each, const char* what) const {
    if (nodes % of_each != 0)
      throw BetweenMultiples(
          where, fmt::format("{} nodes are no multiple of {}, the nodes of each {}", nodes, of_each, what),
          (nodes / of_each + 1) * of_each);
    return nodes / of_each;
  }
};

Growth grown_fat_tree(std::vector<Numbers> tree, const Cluster& cluster) {
  Numbers& down = tree[1];
  const std::int64_t before = down.back();
  down.back() = cluster.number_of(product(down) / before, "subtree");
  return {text_of(tree),
          fmt::format("{} subtrees under the same top switches, where there were {}", down.back(), before)};
}

Growth grown_torus(std::vector<Numbers> torus, const Cluster& cluster) {
  Numbers& dimensions = torus.front();
  const std::string before = text_of(torus);
  std::int64_t growth = cluster.number_of(product(dimensions), "torus that was there");
  std::vector<std::int64_t> primes;
  for (std::int64_t prime = 2; growth > 1; ++prime)
    for (; growth % prime == 0; growth /= prime)
      primes.push_back(prime);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime)
    *std::ranges::min_element(dimensions) *= *prime;
  return {text_of(torus), fmt::format("dimensions {}, where they were {}", text_of(torus), before)};
}

Growth grown_dragonfly(std::vector<Numbers> dragonfly, const Cluster& cluster) {
  const std::int64_t switches = dragonfly[1][0] * dragonfly[2][0];
  const std::int64_t before = dragonfly[0][0];
  dragonfly[0][0] = cluster.number_of(switches * dragonfly[3][0], "group");
  // SimGrid leads to another group by the router of that group's number, in a chassis.
  const std::int64_t most = dragonfly[2][0];
  if (dragonfly[0][0] > most)
    cluster.refuse(
        fmt::format("{} nodes are {} groups of chassis of {} switches, of which each links its group to one "
                    "other",
                    cluster.nodes, dragonfly[0][0], most),
        fmt::format("Give {} nodes at most, or write a file with larger chassis",
                    most * switches * dragonfly[3][0]));
  return {text_of(dragonfly), fmt::format("{} groups, where there were {}", dragonfly[0][0], before)};
}

Growth grown(const Cluster& cluster) {
  const std::string_view topology = cluster.element.attribute("topology").value();
  if (topology.empty() || topology == "FLAT")
    return {"",
            cluster.element.attribute("bb_bw") ? "its backbone stays as it is" : "its switch has more ports"};
  const std::string text = cluster.element.attribute("topo_parameters").value();
  const auto parameters = parse_parameters(text);
  if (parameters) {
    std::vector<std::size_t> counts;
    for (const Numbers& group : *parameters)
      counts.push_back(group.size());
    const auto levels = static_cast<std::size_t>(parameters->front().front());
    if (topology == "TORUS" && counts.size() == 1) return grown_torus(*parameters, cluster);
    if (topology == "DRAGONFLY" && counts == std::vector<std::size_t>{2, 2, 2, 1})
      return grown_dragonfly(*parameters, cluster);
    if (topology == "FAT_TREE" && counts == std::vector<std::size_t>{1, levels, levels, levels})
      return grown_fat_tree(*parameters, cluster);
  }
  cluster.refuse(
      fmt::format("topology=\"{}\" topo_parameters=\"{}\" has no rule by which it grows", topology, text),
      "Write a file with more nodes");
}

/// The first of the platform's hosts as nodes.
void reduce(const pugi::xml_document& xml, std::int64_t before, int nodes) {
  pugi::xml_node zone = xml.select_node("/platform/*[self::zone or self::AS or self::cluster]").node();
  pugi::xml_node prop = zone.prepend_child("prop");
  prop.append_attribute("id").set_value("nodes");
  prop.append_attribute("value").set_value(nodes);
  const std::string comment =
      fmt::format(" {}{} nodes, of {}: the first hosts. ", mark_of_fewer, nodes, before);
  zone.parent().insert_child_before(pugi::node_comment, zone).set_value(comment.c_str());
}

}  // namespace

std::string enlarged_xml(const std::filesystem::path& file, int nodes) {
  PlatformDocument document(file);
  const std::int64_t rails = read_rails(document).count;  // each but the first has hosts that are no nodes
  const pugi::xml_document& xml = document.xml_to_change();
  if (const pugi::xpath_node list = xml.select_node("//prop[@id='node_list']"))
    throw InputError(document.place_of(list.node()), "node_list names the nodes, whatever their number",
                     "Leave --nodes out, or give a platform without the list");
  for (const pugi::xpath_node& match : xml.select_nodes("//prop[@id='nodes']"))
    match.node().parent().remove_child(match.node());
  if (const std::int64_t hosts = count_hosts(document) / rails; nodes <= hosts) {
    reduce(xml, hosts, nodes);
    return document.saved();
  }
  const pugi::xpath_node_set clusters = xml.select_nodes("//cluster");
  const pugi::xpath_node other = xml.select_node("//host | //cabinet | //peer");
  if (clusters.size() != 1 || other)
    throw InputError(
        other ? document.place_of(other.node()) : file.string(),
        other
            ? fmt::format("<{}> has no rule by which it grows (one <cluster> alone has)", other.node().name())
            : fmt::format("{} clusters (one alone has a rule by which it grows)", clusters.size()),
        "Write a file with more nodes");
  const Cluster cluster{clusters.first().node(), document.place_of(clusters.first().node()), nodes};
  const std::string radical = cluster.element.attribute("radical").value();
  std::int64_t first = 0;
  std::int64_t last = 0;
  char rest = 0;
  if (std::sscanf(radical.c_str(), "%" SCNd64 "-%" SCNd64 "%c", &first, &last, &rest) != 2)
    cluster.refuse(fmt::format("radical=\"{}\" is no range of numbers, as 0-127 is", radical),
                   "Write a file with more nodes");
  const std::int64_t before = last - first + 1;
  const auto [parameters, how] = grown(cluster);

  pugi::xml_node element = cluster.element;
  element.attribute("radical").set_value(fmt::format("{}-{}", first, first + nodes - 1).c_str());
  if (!parameters.empty()) element.attribute("topo_parameters").set_value(parameters.c_str());
  const std::string comment = fmt::format(" {}{} nodes, of {}: {}. ", mark, nodes, before, how);
  element.parent().insert_child_before(pugi::node_comment, element).set_value(comment.c_str());
  count_hosts(document);  // refuses what SimGrid would take minutes to load
  return document.saved();
}

std::optional<int> possible_nodes(const std::filesystem::path& file, int nodes) {
  if (nodes > most_nodes) return std::nullopt;
  try {
    enlarged_xml(file, nodes);
    return nodes;
  } catch (const BetweenMultiples& error) {
    if (error.next > most_nodes) return std::nullopt;
    return possible_nodes(file, static_cast<int>(error.next));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

FileKind enlarged_platform_kind() {
  return {"a platform of finegrain platform --nodes", {".xml"}, [](std::string_view content) {
            return content.starts_with("<?xml") && (content.find(mark) != std::string_view::npos ||
                                                    content.find(mark_of_fewer) != std::string_view::npos);
          }};
}

}  // namespace finegrain::platform
