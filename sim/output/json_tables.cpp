// SPDX-License-Identifier: MIT
#include "sim/output/json_tables.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace finegrain::output {
namespace {

using nlohmann::ordered_json;

constexpr std::pair<std::string_view, std::string_view> units[] = {{"bytes_per_s", "B/s"},
                                                                   {"s", "s"},
                                                                   {"seconds", "s"},
                                                                   {"ms", "ms"},
                                                                   {"us", "us"},
                                                                   {"hours", "h"},
                                                                   {"j_per_iteration", "J"},
                                                                   {"js", "J s"},
                                                                   {"j", "J"},
                                                                   {"w", "W"},
                                                                   {"gflops", "Gflop/s"}};

/// Words that are units wherever they are in a key: "bytes_in_local", "gain_percent_2".
constexpr std::pair<std::string_view, std::string_view> unit_words[] = {{"bytes", "B"}, {"percent", "%"}};

constexpr const char* not_of_this_row = "not known, or not of this row";

constexpr std::pair<Origin, std::string_view> origins[] = {{Origin::given, "given"},
                                                           {Origin::measured, "measured"},
                                                           {Origin::simulated, "simulated"},
                                                           {Origin::closed_form, "closed_form"}};

std::string_view origin_of(const Column& column) {
  const auto* const found = std::ranges::find_if(origins, [&](const auto& origin) {
    return column.origin ? *column.origin == origin.first : column.key.starts_with(origin.second);
  });
  return found == std::end(origins) ? "given" : found->second;
}

/// Whether a key has this word, between "_" or at its ends.
bool has_word(std::string_view key, std::string_view word) {
  for (std::size_t at = key.find(word); at != std::string_view::npos; at = key.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || key[at - 1] == '_') && (end == key.size() || key[end] == '_')) return true;
  }
  return false;
}

ordered_json json_of_column(const Column& column, bool is_number) {
  ordered_json json = {{"name", column.key}, {"heading", column.heading}};
  if (is_number) json["unit"] = unit_of(column.key);
  json["origin"] = origin_of(column);
  if (!column.help.empty()) json["help"] = column.help;
  return json;
}

ordered_json json_of_columns(const Table& table) {
  ordered_json columns = ordered_json::array();
  const bool rows_have_units = std::ranges::find(table.columns, "unit", &Column::key) != table.columns.end();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto any = [&]<typename Type>() {
      return std::ranges::any_of(table.rows,
                                 [&](const auto& row) { return std::holds_alternative<Type>(row.at(c)); });
    };
    const Column& column = table.columns[c];
    ordered_json& json = columns.emplace_back(
        json_of_column(column, !rows_have_units && !any.template operator()<std::string>()));
    if (any.template operator()<std::monostate>())
      json["absent"] = column.absent.empty() ? not_of_this_row : column.absent;
  }
  return columns;
}

}  // namespace

std::string_view unit_of(std::string_view key) {
  for (const auto& [ending, unit] : units)
    if (key == ending || (key.ends_with(ending) && key[key.size() - ending.size() - 1] == '_')) return unit;
  for (const auto& [word, unit] : unit_words)
    if (has_word(key, word)) return unit;
  return "1";
}

ordered_json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

ordered_json json_of(const Table& table) {
  ordered_json json = {{"name", table.name}, {"title", table.title}, {"columns", json_of_columns(table)}};
  ordered_json& rows = json["rows"] = ordered_json::array();
  for (const auto& row : table.rows) {
    ordered_json object = ordered_json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      object[table.columns[c].key] = json_of(row.at(c));
    rows.push_back(std::move(object));
  }
  ordered_json& left_out = json["left_out"] = ordered_json::array();
  for (const Column& column : table.left_out)
    left_out.emplace_back(json_of_column(column, true))["absent"] = column.absent;
  json["notes"] = table.notes;
  json["version"] = json_version;
  json["written_by"] = "finegrain " FINEGRAIN_VERSION;
  return json;
}

void print_json(std::ostream& out, std::span<const Table> tables, const std::string& page) {
  ordered_json all = ordered_json::array();
  for (const Table& table : tables)
    all.push_back(json_of(table));
  if (!page.empty()) all.front()["page"] = ordered_json::parse(page);
  // File names may hold bytes that are not UTF-8, which JSON requires.
  out << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace finegrain::output
