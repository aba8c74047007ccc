// SPDX-License-Identifier: MIT
#include "sim/study/answered_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/answer/quantities.hpp"
#include "sim/policy/policy.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/study/points.hpp"
#include "sim/study/study_row.hpp"

namespace finegrain::study {
namespace {

using Row = std::vector<output::Cell>;

/// A table's rows with their cells found by the columns' keys.
class Rows {
 public:
  explicit Rows(const output::Table& table) : table_(table) {
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      places_.emplace(table.columns[column].key, column);
  }
  const output::Cell& cell(const Row& row, const std::string& key) const { return row[places_.at(key)]; }
  const double* number(const Row& row, const std::string& key) const {
    return std::get_if<double>(&cell(row, key));
  }
  /// The cell's count; 0 if it has none.
  std::int64_t count(const Row& row, const std::string& key) const {
    const auto* count = std::get_if<std::int64_t>(&cell(row, key));
    return count != nullptr ? *count : 0;
  }
  const std::string& text(const Row& row, const std::string& key) const {
    return std::get<std::string>(cell(row, key));
  }
  bool differ_in(const std::string& key) const {
    return std::ranges::any_of(
        table_.rows, [&](const Row& row) { return cell(row, key) != cell(table_.rows.front(), key); });
  }

 private:
  const output::Table& table_;
  std::map<std::string, std::size_t> places_;
};

/// A database leaves out the usual choice of algorithms, which has a name in a study file.
output::Cell collective_of(const output::Cell& cell) {
  return cell == output::Cell() ? output::Cell(std::string(library_choice)) : cell;
}

/// The name of a row's program, as the axis of a study spells it.
std::string program_of(const Rows& rows, const Row& row) {
  const pattern::PatternKind& kind = pattern::pattern_kind(rows.text(row, "kernel"));
  const std::string words = fmt::format("{} {} {}", rows.text(row, "policy"), rows.text(row, "transfer"),
                                        rows.text(row, "completion"));
  return variant_name(parse_variant(words, kind, "database"), kind);
}

}  // namespace

AnsweredPoints answered_points(const Database& database) {
  const output::Table stored = database.rows();
  const Rows rows(stored);
  std::vector<const Row*> answered;
  for (const Row& row : stored.rows)
    if (rows.number(row, "simulated_s") != nullptr || rows.number(row, "closed_form_s") != nullptr)
      answered.push_back(&row);
  std::ranges::stable_sort(answered, {}, [&](const Row* row) {
    const double* simulated_s = rows.number(*row, "simulated_s");
    return simulated_s != nullptr ? std::pair(0, *simulated_s)
                                  : std::pair(1, *rows.number(*row, "closed_form_s"));
  });

  AnsweredPoints points{.table = {}, .numbers = {}, .nodes = {}, .all = stored.rows.size()};
  output::Table& table = points.table;
  table.notes = database.identity().notes;
  const bool programs_differ =
      rows.differ_in("policy") || rows.differ_in("transfer") || rows.differ_in("completion");
  if (programs_differ) table.columns.push_back({"program", "program"});
  std::vector<std::pair<std::string, std::string>> headings{
      {"problem", "problem"}, {"platform", "platform"}, {"nodes", "nodes"}, {"ranks", "ranks"}};
  for (const pattern::Parameter& parameter : policy::all_parameters())
    if (parameter.is_axis) headings.emplace_back(parameter.name, parameter.label);
  headings.insert(headings.end(),
                  {{"placement", "placement"}, {"collective", "collective"}, {"changes", "set"}});
  std::map<std::string, std::int64_t> jobs;  // the number of each text
  if (rows.text(stored.rows.front(), "kernel") == kind_of_jobs) {
    headings.front().second = kind_of_jobs;
    for (const Row& row : stored.rows)
      if (jobs.emplace(rows.text(row, "problem"), std::ssize(jobs) + 1).second)
        table.notes.push_back(fmt::format("jobs {}: {}", jobs.size(), rows.text(row, "problem")));
  }
  for (const auto& [key, heading] : headings) {
    const bool follows = key == "ranks" && rows.differ_in("nodes") && !rows.differ_in("ranks_per_node");
    if (rows.differ_in(key) && !follows) table.columns.push_back({key, heading});
  }
  table.columns.push_back({"simulated_s", "sim.", 4});
  const auto add_if_any = [&](const output::Column& column) {
    if (std::ranges::any_of(stored.rows,
                            [&](const Row& row) { return rows.number(row, column.key) != nullptr; }))
      table.columns.push_back(column);
  };
  for (const KeptQuantity& kept : kept_quantities) {
    output::Column column = answer::column_of(answer::quantity(kept.name));
    column.key = kept.column;
    add_if_any(column);
  }
  add_if_any({"closed_form_s", "c.f.", 4});
  if (std::ranges::any_of(table.columns, [](const auto& column) { return !column.interval_of.empty(); }))
    table.notes.emplace_back(
        "in brackets: where the true time lies in 90 of 100 cases. For one point, finegrain compare says "
        "which measurements this comes from, or that it is an assumption (docs/intervals.md)");
  for (const Row* row : answered) {
    Row& cells = table.rows.emplace_back();
    for (const output::Column& column : table.columns)
      cells.push_back(column.key == "program"      ? output::Cell(program_of(rows, *row))
                      : column.key == "collective" ? collective_of(rows.cell(*row, column.key))
                      : column.key == "problem" && !jobs.empty()
                          ? output::Cell(jobs.at(rows.text(*row, "problem")))
                          : rows.cell(*row, column.key));
    points.numbers.push_back(rows.count(*row, "point"));
    points.nodes.push_back(rows.count(*row, "nodes"));
  }
  return points;
}

}  // namespace finegrain::study
