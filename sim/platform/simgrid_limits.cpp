// SPDX-License-Identifier: MIT
#include "sim/platform/simgrid_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

// Found with SimGrid 3.32 on a common server; each is a few seconds, or 2 GB.
constexpr std::int64_t most_hosts = 500'000;      ///< 4 kB each
constexpr std::int64_t most_links = 2'000'000;    ///< those of all topologies together
constexpr std::int64_t most_in_full = 16'000;     ///< 8 B for each two
constexpr std::int64_t most_in_floyd = 2'500;     ///< the time grows with the third power
constexpr std::int64_t most_pairs = 300'000'000;  ///< pairs of nodes on two levels of a fat tree
constexpr std::int64_t most_cores = 1'000'000;
constexpr std::int64_t largest_number = 2'147'483'646;  // SimGrid counts one further, in 32 bits

using Numbers = std::vector<std::int64_t>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> number_in(std::string_view text, std::int64_t least, std::int64_t most) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

/// An attribute, with what its errors need.
struct Attribute {
  const PlatformDocument& document;
  pugi::xml_node element;
  const char* name;

  std::string_view text() const { return element.attribute(name).value(); }
  bool is_given() const { return static_cast<bool>(element.attribute(name)); }
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw InputError(document.place_of(element),
                     fmt::format("<{}> has {}=\"{}\": {}", element.name(), name, text(), problem), remedy);
  }
};

void check_cores(const Attribute& cores) {
  if (cores.is_given() && !number_in(cores.text(), 1, most_cores))
    cores.refuse(fmt::format("it is not a number from 1 to {}", most_cores), "Write it like core=\"16\"");
}

/// Speeds are numbers with units, one for each state of the host. 0 is one of a host that is off.
void check_speed(const Attribute& speed) {
  for (const std::string_view text : split(speed.text(), ',')) {
    const std::string number(text);
    const double value = std::strtod(number.c_str(), nullptr);
    if (!std::isfinite(value) || value < 0)
      speed.refuse(fmt::format("'{}' is no speed", text), "Write it like speed=\"1Gf\"");
  }
}

/// The state in which the host runs.
void check_running_speed(const Attribute& speed) {
  check_speed(speed);
  const std::vector<std::string_view> speeds = split(speed.text(), ',');
  const auto state = static_cast<std::size_t>(speed.element.attribute("pstate").as_uint());
  if (state >= speeds.size()) return;
  const std::string text(speeds[state]);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && value == 0)  // what is no number, SimGrid refuses
    speed.refuse("a host that runs has a speed above 0", "Write it like speed=\"1Gf\"");
}

/// How many hosts "0-3,5" names.
std::int64_t hosts_of(const Attribute& radical) {
  std::int64_t hosts = 0;
  for (const std::string_view range : split(radical.text(), ',')) {
    const std::vector<std::string_view> ends = split(range, '-');
    const auto first = number_in(ends.front(), 0, largest_number);
    const auto last = number_in(ends.back(), 0, largest_number);
    if (!first || !last || ends.size() > 2)
      radical.refuse(fmt::format("'{}' is not a number or a range of numbers", range),
                     "Write it like radical=\"0-127\" or \"0,2-5\"");
    if (*first > *last)
      radical.refuse(fmt::format("the range '{}' goes down", range), "Write its smaller number first");
    hosts += *last - *first + 1;
    if (hosts > most_hosts) return hosts;  // before the sum overflows
  }
  return hosts;
}

constexpr std::int64_t large = std::int64_t{1} << 60U;
/// A product that stays at a large number instead of overflowing.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > large ? large : product;
}

std::int64_t product_of(const Numbers& numbers) {
  std::int64_t all = 1;
  for (const std::int64_t number : numbers)
    all = times(all, number);
  return all;
}

/// "2;16,8;1,16" as {{2}, {16, 8}, {1, 16}}
std::vector<Numbers> groups_of(const Attribute& parameters, const char* example) {
  std::vector<Numbers> groups;
  for (const std::string_view group : split(parameters.text(), ';')) {
    Numbers& numbers = groups.emplace_back();
    for (const std::string_view text : split(group, ',')) {
      const auto number = number_in(text, 1, 1'000'000);
      if (!number)
        parameters.refuse(fmt::format("'{}' is not a number from 1 to 1000000", text),
                          fmt::format("Write it like {}", example));
      numbers.push_back(*number);
    }
  }
  return groups;
}

/// What a topology consists of.
struct Size {
  std::int64_t hosts;
  std::int64_t links;
};

Size fat_tree(const Attribute& parameters) {
  constexpr const char* example = "topo_parameters=\"2;16,8;1,16;1,1\": levels; nodes below; above; links";
  const std::vector<Numbers> tree = groups_of(parameters, example);
  const auto levels = tree.front().size() == 1 ? static_cast<std::size_t>(tree.front().front()) : 0;
  const bool has_form = tree.size() == 4 && levels > 0 &&
                        std::all_of(std::next(tree.begin()), tree.end(),
                                    [&](const Numbers& group) { return group.size() == levels; });
  if (!has_form)
    parameters.refuse("it is not a number of levels and three groups of as many numbers",
                      fmt::format("Write it like {}", example));
  const auto nodes_of = [&](std::size_t level) {
    std::int64_t nodes = 1;
    for (std::size_t l = 0; l < levels; ++l)
      nodes = times(nodes, l < level ? tree[2][l] : tree[1][l]);
    return nodes;
  };
  std::int64_t links = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    if (times(nodes_of(level), nodes_of(level + 1)) > most_pairs)
      parameters.refuse(fmt::format("levels of {} and {} nodes take SimGrid minutes, which looks at each two",
                                    nodes_of(level), nodes_of(level + 1)),
                        "Use a smaller tree");
    links = std::min(large, links + times(nodes_of(level), times(tree[2][level], tree[3][level])));
  }
  return {product_of(tree[1]), times(2, links)};
}

Size torus(const Attribute& parameters) {
  const std::vector<Numbers> dimensions = groups_of(parameters, "topo_parameters=\"4,4,2\": its dimensions");
  if (dimensions.size() != 1)
    parameters.refuse("it is not one list of dimensions", "Write it like topo_parameters=\"4,4,2\"");
  const std::int64_t hosts = product_of(dimensions.front());
  return {hosts, times(2 * static_cast<std::int64_t>(dimensions.front().size()), hosts)};
}

Size dragonfly(const Attribute& parameters) {
  constexpr const char* example =
      "topo_parameters=\"3,4;4,3;5,1;2\": groups, chassis, routers, each with its "
      "links, and nodes";
  const std::vector<Numbers> parts = groups_of(parameters, example);
  const bool has_form = parts.size() == 4 && parts[0].size() == 2 && parts[1].size() == 2 &&
                        parts[2].size() == 2 && parts[3].size() == 1;
  if (!has_form)
    parameters.refuse("it is not three pairs of numbers and one number",
                      fmt::format("Write it like {}", example));
  const std::int64_t groups = parts[0][0];
  // SimGrid leads to another group by the router of that group's number.
  if (groups > 1 && groups > parts[2][0])
    parameters.refuse(
        fmt::format("there are {} groups, and {} in a chassis (SimGrid 3.32 has no routes then)", groups,
                    format_count(parts[2][0], "router")),
        "Give a chassis as many routers as there are groups");
  const std::int64_t chassis = times(groups, parts[1][0]);
  const std::int64_t routers = times(chassis, parts[2][0]);
  const std::int64_t hosts = times(routers, parts[3][0]);
  const std::int64_t within = times(routers, parts[1][0] + parts[2][0]);
  return {hosts, times(2, hosts + within + times(groups, groups))};
}

Size size_of_cluster(const PlatformDocument& document, const pugi::xml_node& cluster) {
  check_cores({document, cluster, "core"});
  check_running_speed({document, cluster, "speed"});
  const std::int64_t named = hosts_of({document, cluster, "radical"});
  const std::string_view topology = cluster.attribute("topology").value();
  const Attribute parameters{document, cluster, "topo_parameters"};
  const bool is_tree = topology == "FAT_TREE" || topology == "TORUS" || topology == "DRAGONFLY";
  if (!is_tree) return {named, times(2, named)};
  const Size size = topology == "FAT_TREE" ? fat_tree(parameters)
                    : topology == "TORUS"  ? torus(parameters)
                                           : dragonfly(parameters);
  if (named < size.hosts)
    parameters.refuse(
        fmt::format("it has places for {}, and radical=\"{}\" names {}", format_count(size.hosts, "host"),
                    cluster.attribute("radical").value(), named),
        "Make them agree");
  return size;
}

bool has_routing(const pugi::xml_node& zone, const char* routing) {
  return ::strcasecmp(zone.attribute("routing").value(), routing) == 0;
}

/// SimGrid ends the process where it does not know a routing.
void check_routing(const PlatformDocument& document, const pugi::xml_node& zone) {
  constexpr std::array known = {"Full",         "Floyd",          "Dijkstra",        "DijkstraCache",
                                "None",         "Vivaldi",        "Cluster",         "Wifi",
                                "ClusterTorus", "ClusterFatTree", "ClusterDragonfly"};
  const auto is_it = [&](const char* routing) { return has_routing(zone, routing); };
  if (std::ranges::any_of(known, is_it)) return;
  const std::string text = zone.attribute("routing").value();
  throw InputError(document.place_of(zone),
                   fmt::format("the zone has routing=\"{}\" (SimGrid 3.32 has {})", text,
                               fmt::join(std::span(known).first<8>(), ", ")),
                   "Use one of them");
}

void check_without_actors(const PlatformDocument& document) {
  const pugi::xml_node actor = document.xml().select_node("//actor | //process").node();
  if (!actor) return;
  throw InputError(document.place_of(actor),
                   fmt::format("<{}> starts a program of SimGrid's, and a platform has none", actor.name()),
                   "Leave it out: the trace says what runs");
}

void check_table(const PlatformDocument& document, const pugi::xml_node& zone) {
  const std::int64_t most = has_routing(zone, "Full")    ? most_in_full
                            : has_routing(zone, "Floyd") ? most_in_floyd
                                                         : most_hosts;
  const auto elements = std::ranges::count_if(zone.children(), [](const pugi::xml_node& child) {
    const std::string_view name = child.name();
    return name == "host" || name == "router" || name == "cluster" || name == "zone" || name == "AS";
  });
  if (elements > most)
    throw InputError(
        document.place_of(zone),
        fmt::format("a zone with routing=\"{}\" has {} elements (SimGrid's table of their routes "
                    "allows {})",
                    zone.attribute("routing").value(), elements, most),
        "Use a <cluster>, or routing=\"Dijkstra\"");
}

}  // namespace

std::int64_t count_hosts(const PlatformDocument& document) {
  Size all{0, 0};
  const auto count = [&](const pugi::xml_node& element, Size more) {
    all = {all.hosts + more.hosts, all.links + more.links};
    if (all.hosts <= most_hosts && all.links <= most_links) return;
    const bool are_hosts = all.hosts > most_hosts;
    throw InputError(document.place_of(element),
                     fmt::format("up to here the platform has {} {} (the most that can be simulated are {})",
                                 are_hosts ? all.hosts : all.links, are_hosts ? "hosts" : "links",
                                 are_hosts ? most_hosts : most_links),
                     "Use a smaller one");
  };
  for (const pugi::xpath_node& match : document.xml().select_nodes("//cluster"))
    count(match.node(), size_of_cluster(document, match.node()));
  for (const pugi::xpath_node& match : document.xml().select_nodes("//cabinet")) {
    check_running_speed({document, match.node(), "speed"});
    const std::int64_t hosts = hosts_of({document, match.node(), "radical"});
    count(match.node(), {hosts, times(2, hosts)});
  }
  for (const pugi::xpath_node& match : document.xml().select_nodes("//host")) {
    check_cores({document, match.node(), "core"});
    check_running_speed({document, match.node(), "speed"});
    count(match.node(), {1, 0});
  }
  count(document.xml(), {static_cast<std::int64_t>(document.xml().select_nodes("//peer").size()), 0});
  return all.hosts;
}

void check_numbers_and_sizes(const PlatformDocument& document) {
  count_hosts(document);
  check_without_actors(document);
  for (const pugi::xpath_node& match : document.xml().select_nodes("//zone | //AS")) {
    check_routing(document, match.node());
    check_table(document, match.node());
  }
}

}  // namespace finegrain::platform
