// SPDX-License-Identifier: MIT
#include "sim/collectives/decision_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>
#include <string>

#include "sim/collectives/decisions.hpp"
#include "sim/collectives/layout.hpp"
#include "sim/collectives/tables.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::collectives {
namespace {

std::vector<std::string> split(std::string_view text, const char* separators) {
  std::vector<std::string> parts;
  return boost::split(parts, text, boost::is_any_of(separators));
}

/// "any", "8", "8-15", "16-"
DecisionTable::Range range_of(const std::string& text) {
  DecisionTable::Range range;
  if (text == "any") return range;
  const std::vector<std::string> ends = split(text, "-");
  range.smallest = std::stoll(ends.front());
  if (ends.size() == 1) {
    range.largest = range.smallest;
  } else if (!ends.back().empty()) {
    range.largest = std::stoll(ends.back());
  }
  return range;
}

DecisionTable::Measure measure_of(const std::string& text) {
  if (text == "total") return DecisionTable::Measure::total;
  if (text == "mean") return DecisionTable::Measure::mean;
  if (text == "elements") return DecisionTable::Measure::elements;
  return DecisionTable::Measure::size;
}

DecisionTable::Rule rule_of(const std::string& line) {
  const std::vector<std::string> cells = split(line, ",");
  const auto [kind, blocking] = collective_of(cells.at(0));
  DecisionTable::Rule rule{
      .kind = kind,
      .blocking = blocking,
      .any_operation = cells.at(1) == "any",
      .commutative = cells.at(1) == "commutative",
      .ranks = {},
      .power_of_two = cells.at(2) == "2^n",
      .measure = measure_of(cells.at(3)),
      .bytes = range_of(cells.at(4)),
      .choice = {&algorithm(kind, cells.at(5)), std::stoll(cells.at(6)), std::stoi(cells.at(7)), nullptr}};
  if (!rule.power_of_two) rule.ranks = range_of(cells.at(2));
  return rule;
}

std::int64_t measured(const Call& call, DecisionTable::Measure measure) {
  if (measure == DecisionTable::Measure::size) return call.size_bytes;
  const std::int64_t all = blocks_bytes(call, 0, call.ranks);
  if (measure == DecisionTable::Measure::total) return all;
  return all / (measure == DecisionTable::Measure::mean ? call.ranks
                                                        : std::max<std::int64_t>(call.element_bytes, 1));
}

bool holds(const DecisionTable::Rule& rule, const Call& call) {
  return rule.kind == call.kind && rule.blocking == call.blocking &&
         (rule.any_operation || rule.commutative == call.commutative) && rule.ranks.contains(call.ranks) &&
         (!rule.power_of_two || is_power_of_two(call.ranks)) &&
         rule.bytes.contains(measured(call, rule.measure));
}

}  // namespace

DecisionTable::DecisionTable(std::string_view mpi, std::string_view csv) : mpi_(mpi) {
  bool is_header = true;
  for (const std::string& line : split(csv, "\n")) {
    if (line.empty() || line.front() == '#') continue;
    if (!is_header) rules_.push_back(rule_of(line));
    is_header = false;
  }
}

const DecisionTable& DecisionTable::of(std::string_view mpi) {
  static const std::map<std::string_view, DecisionTable> tables = [] {
    std::map<std::string_view, DecisionTable> all;
    for (const auto& file : table_files())
      all.emplace(file.first, DecisionTable(file.first, file.second));
    return all;
  }();
  const auto found = tables.find(mpi);
  if (found != tables.end()) return found->second;
  throw InputError("", fmt::format("the algorithms of the MPI library '{}' are not known", mpi),
                   fmt::format("Known are: {}", fmt::join(mpi_names(), ", ")));
}

const DecisionTable::Rule& DecisionTable::rule(const Call& call) const {
  const auto found = std::ranges::find_if(rules_, [&](const Rule& rule) { return holds(rule, call); });
  if (found != rules_.end()) return *found;
  throw InputError(mpi_, fmt::format("its table has no rule for {} of {} ranks",
                                     collective_name(call.kind, call.blocking), call.ranks));
}

}  // namespace finegrain::collectives
