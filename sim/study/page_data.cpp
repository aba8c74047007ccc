// SPDX-License-Identifier: MIT
#include "sim/study/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/study/answered_points.hpp"
#include "sim/study/study_row.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {
namespace {

bool is_answer(const output::Column& column) {
  return std::ranges::find(answer_columns, column.key) != std::end(answer_columns);
}

nlohmann::json to_json(const output::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

/// At most `most` rows: the fastest of each number of nodes, then the second fastest of each, and so on.
std::vector<std::size_t> chosen_rows(const std::vector<std::int64_t>& nodes, std::size_t most) {
  std::map<std::int64_t, std::size_t> before;  // for each number of nodes, how many faster rows there are
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t row = 0; row < nodes.size(); ++row)
    places.emplace_back(before[nodes[row]]++, row);
  std::ranges::sort(places);
  places.resize(std::min(most, places.size()));
  std::vector<std::size_t> rows;
  for (const auto& [place, row] : places)
    rows.push_back(row);
  std::ranges::sort(rows);
  return rows;
}

/// The programs that computed a column, with their versions.
std::vector<std::string> makers(const output::Table& stored, const std::string& column) {
  const auto place = static_cast<std::size_t>(
      std::ranges::find(stored.columns, column, &output::Column::key) - stored.columns.begin());
  std::set<std::string> names;
  for (const std::vector<output::Cell>& row : stored.rows)
    if (const auto* name = std::get_if<std::string>(&row[place])) names.insert(*name);
  return {names.begin(), names.end()};
}

}  // namespace

nlohmann::json page_data(const Database& database, std::size_t most) {
  const AnsweredPoints points = answered_points(database);
  const output::Table& table = points.table;
  if (table.rows.empty())
    throw InputError(database.identity().study, "no point has an answer yet (or none can run)",
                     "See finegrain study export for the reasons");
  const output::Table stored = database.rows();
  nlohmann::json study = {{"name", database.identity().study},
                          {"axes", nlohmann::json::array()},
                          {"points", nlohmann::json::array()},
                          {"simulated_by", makers(stored, "simulated_by")},
                          {"closed_form_by", makers(stored, "closed_form_by")}};
  for (const output::Column& column : table.columns)
    if (!is_answer(column)) study["axes"].push_back(column.heading);
  const std::vector<std::size_t> rows = chosen_rows(points.nodes, most);
  for (const std::size_t row : rows) {
    nlohmann::json point = {
        {"number", points.numbers[row]}, {"nodes", points.nodes[row]}, {"values", nlohmann::json::array()}};
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      nlohmann::json cell = to_json(table.rows[row][column]);
      if (!is_answer(table.columns[column]))
        point["values"].push_back(std::move(cell));
      else if (!cell.is_null())
        point[table.columns[column].key] = std::move(cell);
    }
    study["points"].push_back(std::move(point));
  }
  nlohmann::json notes = points.table.notes;
  if (const std::size_t unanswered = points.all - table.rows.size())
    notes.push_back(fmt::format("{} of {} have no answer: finegrain study export says why.", unanswered,
                                format_count(points.all, "point")));
  if (rows.size() < table.rows.size())
    notes.push_back(
        fmt::format("Here are {} of {} that have an answer: the fastest of every number "
                    "of nodes.",
                    rows.size(), format_count(table.rows.size(), "point")));
  return {{"study", std::move(study)}, {"notes", std::move(notes)}};
}

}  // namespace finegrain::study
