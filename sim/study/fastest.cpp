// SPDX-License-Identifier: MIT
#include "sim/study/fastest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/study/answered_points.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {

output::Table fastest_points(const Database& database, std::size_t most) {
  AnsweredPoints points = answered_points(database);
  output::Table& table = points.table;
  table.title = fmt::format("{}: the fastest of {}, seconds of all iterations", database.identity().study,
                            format_count(points.all, "point"));
  table.rows.resize(std::min(most, table.rows.size()));
  const auto changes = std::ranges::find(table.columns, "changes", &output::Column::key);
  if (changes == table.columns.end()) return std::move(table);
  // The changes are too long for a column, so the notes say them.
  std::vector<std::string> sets;
  for (std::vector<output::Cell>& row : table.rows) {
    output::Cell& cell = row[static_cast<std::size_t>(changes - table.columns.begin())];
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) continue;
    const auto set = std::ranges::find(sets, *text) - sets.begin();
    if (set == std::ssize(sets)) {
      sets.push_back(*text);
      table.notes.push_back(fmt::format("set {}: {}", sets.size(), *text));
    }
    cell = std::int64_t{set + 1};
  }
  return std::move(table);
}

}  // namespace finegrain::study
