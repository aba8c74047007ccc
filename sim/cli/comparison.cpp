// SPDX-License-Identifier: MIT
#include "sim/cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "sim/cli/efficiency_tables.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

std::size_t place_of(const std::vector<output::Column>& columns, const std::string& key) {
  return static_cast<std::size_t>(std::ranges::find(columns, key, &output::Column::key) - columns.begin());
}

/// A table of each trace that has one of this name.
struct Parts {
  std::vector<std::string> traces;
  std::vector<output::Table> tables;  ///< shape [traces]
};

/// The rows, or the sums, of one part in the columns of all.
void add_rows(std::vector<std::vector<output::Cell>>& all, const std::vector<output::Column>& columns,
              const std::string& trace, const output::Table& part,
              const std::vector<std::vector<output::Cell>>& rows) {
  for (const std::vector<output::Cell>& row : rows) {
    std::vector<output::Cell>& cells = all.emplace_back(columns.size());
    cells.front() = trace;
    for (std::size_t c = 0; c < row.size(); ++c)
      cells[place_of(columns, part.columns[c].key)] = row[c];
  }
}

output::Table one_table(const Parts& parts) {
  if (parts.tables.size() == 1) {
    output::Table only = parts.tables.front();
    only.title = fmt::format("{}: {}", parts.traces.front(), only.title);
    return only;
  }
  output::Table all;
  all.name = parts.tables.front().name;
  all.title = fmt::format("{} of {}", all.name, format_count(parts.tables.size(), "trace"));
  all.columns = {{"trace", "trace"}};
  for (const output::Table& part : parts.tables) {
    std::size_t after = 1;  // a column that the parts before lack stands where it does in this one
    for (const output::Column& column : part.columns) {
      const std::size_t place = place_of(all.columns, column.key);
      if (place == all.columns.size())
        all.columns.insert(all.columns.begin() + static_cast<std::ptrdiff_t>(after++), column);
      else
        after = place + 1;
    }
  }
  const bool any_sums =
      std::ranges::any_of(parts.tables, [](const auto& part) { return !part.sums.empty(); });
  for (std::size_t i = 0; i < parts.tables.size(); ++i) {
    const output::Table& part = parts.tables[i];
    add_rows(all.rows, all.columns, parts.traces[i], part, part.rows);
    if (any_sums)
      add_rows(all.sums, all.columns, parts.traces[i], part, part.sums.empty() ? part.rows : part.sums);
    for (const output::Column& column : part.left_out)
      if (place_of(all.columns, column.key) == all.columns.size() &&
          place_of(all.left_out, column.key) == all.left_out.size())
        all.left_out.push_back(column);
  }
  for (std::size_t i = 0; i < parts.tables.size(); ++i) {
    for (const std::string& note : parts.tables[i].notes) {
      const bool is_of_all = std::ranges::all_of(parts.tables, [&](const output::Table& part) {
        return std::ranges::find(part.notes, note) != part.notes.end();
      });
      if (!is_of_all) all.notes.push_back(fmt::format("{}: {}", parts.traces[i], note));
      if (is_of_all && i == 0) all.notes.push_back(note);
    }
  }
  return all;
}

/// What tells the traces apart: the ends of their paths, or all of them.
std::vector<std::string> short_names(const std::vector<std::string>& traces) {
  std::vector<std::string> names;
  for (const std::string& trace : traces)
    names.push_back(std::filesystem::path(trace).filename().string());
  return std::set<std::string>(names.begin(), names.end()).size() == traces.size() ? names : traces;
}

}  // namespace

Comparison together(const std::vector<std::string>& traces, std::vector<Comparison> comparisons) {
  if (comparisons.size() == 1) return std::move(comparisons.front());
  const std::vector<std::string> names = short_names(traces);
  std::vector<Parts> all;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    for (output::Table& table : comparisons[i].tables) {
      auto parts =
          std::ranges::find(all, table.name, [](const Parts& one) { return one.tables.front().name; });
      if (parts == all.end()) parts = all.insert(all.end(), Parts());
      parts->traces.push_back(names[i]);
      parts->tables.push_back(std::move(table));
    }
  }
  Comparison one;
  std::ranges::transform(all, std::back_inserter(one.tables), one_table);
  for (output::Table& table : one.tables)
    if (table.name == "efficiency") add_scalability(table);
  return one;
}

}  // namespace finegrain::cli
