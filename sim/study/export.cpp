// SPDX-License-Identifier: MIT
#include "sim/study/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::study {
namespace {

/// The columns into which a column of phases is split.
class PhaseColumns {
 public:
  PhaseColumns(const output::Table& table, std::size_t column) : column_(column) {
    for (const auto& row : table.rows) {
      const auto phases = phases_of(row);
      for (const auto& [name, time_s] : phases.items())
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    }
  }

  void add_columns(const std::string& prefix, std::vector<output::Column>& columns) const {
    for (std::string name : names_) {
      std::ranges::replace(name, ' ', '_');
      columns.push_back({fmt::format("{}_{}_s", prefix, name), name});
    }
  }
  void add_cells(const std::vector<output::Cell>& row, std::vector<output::Cell>& cells) const {
    const auto phases = phases_of(row);
    for (const std::string& name : names_) {
      output::Cell& cell = cells.emplace_back();
      if (phases.contains(name)) cell = phases[name].get<double>();
    }
  }

 private:
  nlohmann::ordered_json phases_of(const std::vector<output::Cell>& row) const {
    const auto* text = std::get_if<std::string>(&row[column_]);
    if (text == nullptr) return nlohmann::ordered_json::object();
    auto phases = nlohmann::ordered_json::parse(*text, nullptr, false);
    const auto is_number = [](const auto& value) { return value.is_number(); };
    if (!phases.is_object() || !std::ranges::all_of(phases, is_number))
      throw InputError("study", fmt::format("'{}' are no phases (written by another program)", *text),
                       "Run it again");
    return phases;
  }

  std::size_t column_;
  std::vector<std::string> names_;  ///< in order of their first appearance
};

constexpr std::string_view phases_ending = "_phases";

}  // namespace

output::Table export_table(const Database& database) {
  const output::Table stored = database.rows();
  std::map<std::size_t, PhaseColumns> phases;
  output::Table table;
  table.title = fmt::format("{}, {}: seconds of all iterations", database.identity().study,
                            format_count(database.identity().points, "point"));
  table.notes = database.identity().notes;
  for (std::size_t column = 0; column < stored.columns.size(); ++column) {
    const std::string& key = stored.columns[column].key;
    if (!key.ends_with(phases_ending)) {
      table.columns.push_back(stored.columns[column]);
      continue;
    }
    const auto place = phases.emplace(column, PhaseColumns(stored, column)).first;
    place->second.add_columns(key.substr(0, key.size() - phases_ending.size()), table.columns);
  }
  for (const std::vector<output::Cell>& row : stored.rows) {
    std::vector<output::Cell>& cells = table.rows.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      const auto place = phases.find(column);
      if (place == phases.end()) {
        cells.push_back(row[column]);
      } else {
        place->second.add_cells(row, cells);
      }
    }
  }
  return table;
}

}  // namespace finegrain::study
