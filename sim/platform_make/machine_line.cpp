// SPDX-License-Identifier: MIT
#include "sim/platform_make/machine_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/platform/rails.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/nearest.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

constexpr std::int64_t largest_count = 1'000'000;

std::string_view without_spaces_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    const std::string_view part = without_spaces_around(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > largest_count)
    return std::nullopt;
  return count;
}

/// What may stand in a clause.
struct ClauseKind {
  std::string_view name;
  bool is_network;
  std::string_view example;
};

constexpr std::array<ClauseKind, 8> clause_kinds{
    {{"fat_tree", true, "fat_tree: 3 levels, 40-port, 1600 nodes, 2:1"},
     {"dragonfly", true, "dragonfly: 8 groups, 8 switches, 4 nodes per switch, 2 links between groups"},
     {"torus", true, "torus: 8 x 8 x 4"},
     {"switch", true, "switch: 32 nodes, 40-port"},
     {"rail_optimised", true, "rail_optimised: 4 rails, 2 levels, 40-port, 128 nodes, 1:1"},
     {"node", false, "node: 2 x 64 cores, 2 rails, memory_bandwidth=348GBps"},
     {"link", false, "link: 200Gbps 300ns, message_overhead=300ns"},
     {"uplinks", false, "uplinks: 2:1"}}};

/// A property of the platform that a clause gives as name=value, and the unit that it needs.
enum class Unit : std::uint8_t { bandwidth, time, size, flops, rail_choice };
struct Property {
  std::string_view name;
  std::string_view clause;
  Unit unit;
};
constexpr std::array<Property, 13> known_line_properties{
    {{"memory_bandwidth", "node", Unit::bandwidth},
     {"memory_bandwidth_per_core", "node", Unit::bandwidth},
     {"memory_size", "node", Unit::size},
     {"cache_line", "node", Unit::size},
     {"local_latency", "node", Unit::time},
     {"speed", "node", Unit::flops},
     {"rail_choice", "node", Unit::rail_choice},
     {"rail_choice", "rail_optimised", Unit::rail_choice},
     {"stripe_above", "node", Unit::size},
     {"stripe_above", "rail_optimised", Unit::size},
     {"message_overhead", "link", Unit::time},
     {"eager_limit", "link", Unit::size},
     {"buffered_limit", "link", Unit::size}}};

/// One clause of the line, and the numbers that are found.
struct Clause {
  const ClauseKind& kind;
  std::string_view text;  ///< with its name
  Numbers& numbers;

  [[noreturn]] void refuse(std::string_view item, const std::string& problem) const {
    throw InputError(std::string(kind.name), fmt::format("'{}' {}", item, problem),
                     fmt::format("Write it like '{}'", kind.example));
  }
  void give(std::string_view name, std::string value, std::string_view item) const {
    const auto [place, is_new] =
        numbers.emplace(name, Number{std::move(value), fmt::format("given: '{}'", text)});
    if (!is_new) refuse(item, fmt::format("gives {} a second time", name));
  }
};

void check_unit(const Clause& clause, Unit unit, std::string_view value, const std::string& where) {
  if (unit == Unit::bandwidth && parse_bandwidth_bytes_per_s(value, where) == 0)
    clause.refuse(value, "is a bandwidth of nothing");
  if (unit == Unit::time) parse_time_s(value, where);
  if (unit == Unit::size) parse_size_bytes(value, where);
  if (unit == Unit::rail_choice) platform::parse_rail_choice(std::string(value), where);
  double speed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), speed);
  const std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
  if (unit == Unit::flops &&
      (error != std::errc() || speed <= 0 || !(rest == "f" || rest == "Mf" || rest == "Gf" || rest == "Tf")))
    clause.refuse(value, "is not a speed of a core, such as 39.2Gf");
}

/// name=value
void read_line_property(const Clause& clause, std::string_view item) {
  const std::string_view name = without_spaces_around(item.substr(0, item.find('=')));
  const std::string_view value = without_spaces_around(item.substr(item.find('=') + 1));
  const auto known = std::ranges::find_if(known_line_properties, [&](const Property& one) {
    return one.name == name && one.clause == clause.kind.name;
  });
  if (known == known_line_properties.end()) {
    std::vector<std::string> names;
    for (const Property& one : known_line_properties)
      if (one.clause == clause.kind.name) names.emplace_back(one.name);
    clause.refuse(item, names.empty() ? "gives a property, which only node, link and rail_optimised have"
                                      : fmt::format("is no property of a {} (known are {})", clause.kind.name,
                                                    fmt::join(names, ", ")));
  }
  check_unit(clause, known->unit, value, fmt::format("{}: {}", clause.kind.name, name));
  clause.give(name, std::string(value), item);
}

/// "node" of "nodes", "link between groups" of "links between groups".
std::string one_of(std::string_view words) {
  if (words == "switches") return "switch";
  std::string one(words);
  const std::size_t end = std::min(one.find(' '), one.size());
  if (one[end - 1] == 's') one.erase(end - 1, 1);
  return one;
}

/// "40-port", "3 levels", "1 level", "2 links between groups": a count and its word. @returns whether it is
/// one
bool read_counted(const Clause& clause, std::string_view item, std::string_view word, std::string_view name) {
  const std::string one = one_of(word);
  const bool is_one = !item.ends_with(word);
  if (is_one && !item.ends_with(one)) return false;
  std::string_view number = item.substr(0, item.size() - (is_one ? one.size() : word.size()));
  if (number.empty() || std::string_view(" -").find(number.back()) == std::string_view::npos) return false;
  number.remove_suffix(1);
  const auto count = count_in(without_spaces_around(number));
  if (!count) clause.refuse(item, fmt::format("is not a number from 1 to {} and a word", largest_count));
  clause.give(name, std::to_string(*count), item);
  return true;
}

/// "2:1" @returns whether it is one
bool read_ratio(const Clause& clause, std::string_view item) {
  const std::size_t colon = item.find(':');
  if (colon == std::string_view::npos) return false;
  const auto down = count_in(without_spaces_around(item.substr(0, colon)));
  const auto up = count_in(without_spaces_around(item.substr(colon + 1)));
  if (!down || !up) clause.refuse(item, "is not a ratio of two numbers");
  clause.give("ratio", fmt::format("{}:{}", *down, *up), item);
  return true;
}

/// "8 x 8 x 4" as numbers; none: an item of another form
std::optional<std::vector<std::int64_t>> factors_in(std::string_view item) {
  std::vector<std::int64_t> factors;
  for (const std::string_view part : parts_of(item, "x")) {
    const auto factor = count_in(part);
    if (!factor) return std::nullopt;
    factors.push_back(*factor);
  }
  return factors;
}

bool read_cores(const Clause& clause, std::string_view item) {
  if (!item.ends_with(" cores") && !item.ends_with(" core")) return false;
  const auto factors = factors_in(item.substr(0, item.rfind(' ')));
  if (!factors || factors->empty() || factors->size() > 2)
    clause.refuse(item, "is not cores, or sockets x cores");
  const std::int64_t cores = factors->size() == 2 ? (*factors)[0] * (*factors)[1] : (*factors)[0];
  if (cores > largest_count) clause.refuse(item, "are more cores than a node has");
  clause.give("cores", std::to_string(cores), item);
  if (factors->size() == 2) clause.give("sockets", std::to_string(factors->front()), item);
  return true;
}

bool is_time(std::string_view text) {
  return text.ends_with('s') && !text.ends_with("ps") && !text.ends_with("/s");
}

/// "200Gbps" and "600ns", in any order
void read_rates(const Clause& clause, std::string_view item) {
  for (const std::string_view word : parts_of(item, " ")) {
    const bool has_unit = word.find_first_not_of("0123456789.") != std::string_view::npos;
    if (!has_unit) clause.refuse(word, "has no unit");
    if (is_time(word)) {
      check_unit(clause, Unit::time, word, "link");
      clause.give("link_latency", std::string(word), item);
    } else {
      check_unit(clause, Unit::bandwidth, word, "link");
      clause.give("link_bandwidth", std::string(word), item);
    }
  }
}

bool read_dimensions(const Clause& clause, std::string_view item) {
  auto dimensions = factors_in(item);
  if (!dimensions || dimensions->empty()) return false;
  // A side of one node has no links.
  std::erase(*dimensions, 1);
  if (dimensions->empty()) dimensions->push_back(1);
  clause.give("dimensions", fmt::format("{}", fmt::join(*dimensions, ",")), item);
  return true;
}

void read_item(const Clause& clause, std::string_view item) {
  const std::string_view name = clause.kind.name;
  if (item.find('=') != std::string_view::npos) return read_line_property(clause, item);
  if (name == "link") return read_rates(clause, item);
  bool is_read = false;
  if (name == "node") is_read = read_cores(clause, item) || read_counted(clause, item, "rails", "rails");
  if (name == "rail_optimised") is_read = read_counted(clause, item, "rails", "rails");
  if (name == "uplinks") is_read = read_ratio(clause, item);
  if (clause.kind.is_network) is_read = is_read || read_counted(clause, item, "nodes", "nodes");
  const bool is_tree = name == "fat_tree" || name == "rail_optimised";
  if (is_tree || name == "switch") is_read = is_read || read_counted(clause, item, "port", "ports");
  if (is_tree)
    is_read = is_read || read_counted(clause, item, "levels", "levels") || read_ratio(clause, item);
  if (name == "dragonfly")
    is_read = is_read || read_counted(clause, item, "nodes per switch", "nodes_per_switch") ||
              read_counted(clause, item, "links between groups", "links_between") ||
              read_counted(clause, item, "groups", "groups") ||
              read_counted(clause, item, "switches", "switches");
  if (name == "torus") is_read = is_read || read_dimensions(clause, item);
  if (!is_read) clause.refuse(item, "is not understood");
}

const ClauseKind& kind_of_clause(std::string_view name) {
  const auto kind = std::ranges::find(clause_kinds, name, &ClauseKind::name);
  if (kind != clause_kinds.end()) return *kind;
  std::vector<std::string> names;
  for (const ClauseKind& one : clause_kinds)
    names.emplace_back(one.name);
  const std::string near = nearest(name, names);
  throw InputError("the machine's line", fmt::format("'{}' begins no clause", name),
                   fmt::format("{}Known are {}", near.empty() ? "" : fmt::format("Did you mean {}? ", near),
                               fmt::join(names, ", ")));
}

}  // namespace

MachineLine parse_machine_line(std::string_view text) {
  MachineLine line;
  for (const std::string_view clause_text : parts_of(text, ";")) {
    const std::size_t colon = clause_text.find(':');
    const ClauseKind& kind = kind_of_clause(without_spaces_around(clause_text.substr(0, colon)));
    const Clause clause{kind, clause_text, line.numbers};
    if (colon == std::string_view::npos) clause.refuse(clause_text, "has no ':'");
    if (kind.is_network && !line.network.empty())
      clause.refuse(kind.name, fmt::format("is a second network beside {}", line.network));
    if (kind.is_network) line.network = kind.name;
    for (const std::string_view item : parts_of(clause_text.substr(colon + 1), ","))
      read_item(clause, item);
  }
  return line;
}

}  // namespace finegrain::platform_make
