// SPDX-License-Identifier: MIT
#include "sim/output/table.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <utility>

#include "sim/output/json_tables.hpp"
#include "sim/output/text_table.hpp"
#include "traces/io/csv.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::output {
namespace {

std::vector<std::string> names_of(std::span<const Table> tables) {
  std::vector<std::string> names;
  std::ranges::transform(tables, std::back_inserter(names), &Table::name);
  return names;
}

/// Prints the first table, and only the names of the others, because a CSV has one header.
void print_csv(std::ostream& out, std::span<const Table> tables) {
  const Table& table = tables.front();
  if (!table.title.empty()) out << "# " << printable(table.title) << '\n';
  for (const auto& note : table.notes)
    out << "# " << printable(note) << '\n';
  if (tables.size() > 1)
    out << fmt::format("# This is the first of {} tables. The others: --table {}\n", tables.size(),
                       fmt::join(names_of(tables.subspan(1)), ", --table "));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out << (c == 0 ? "" : ",") << table.columns[c].key;
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c != 0) out << ',';
      if (const auto* text = std::get_if<std::string>(&row[c])) {
        out << csv_field(*text);
      } else if (!std::holds_alternative<std::monostate>(row[c])) {
        out << json_of(row[c]).dump();
      }
    }
    out << '\n';
  }
}

/// The text with "|" escaped, which in markdown is the border of a cell.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

void print_markdown(std::ostream& out, const Table& table) {
  if (!table.title.empty()) out << "## " << table.title << "\n\n";
  for (const auto& column : table.columns)
    out << "| " << escaped(column.heading) << ' ';
  out << "|\n";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out << "|---";
  out << "|\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      out << "| " << escaped(text_of(row[c], table.columns[c])) << ' ';
    out << "|\n";
  }
  for (const auto& note : table.notes)
    out << '\n' << note << '\n';
}

}  // namespace

void print(std::ostream& out, const std::vector<Table>& tables, Format format, std::size_t width) {
  if (format == Format::json) return print_json(out, tables);
  if (format == Format::csv) return print_csv(out, tables);
  bool first = true;
  for (const auto& table : tables) {
    if (!first) out << '\n';
    first = false;
    if (format == Format::markdown) {
      print_markdown(out, table);
    } else {
      print_text(out, table, width);
    }
  }
}

void print(std::ostream& out, const std::vector<Table>& tables, Format format) {
  print(out, tables, format, usual_width);
}

std::vector<Table> for_terminal(std::vector<Table> tables) {
  for (Table& table : tables) {
    if (table.rows.size() <= most_terminal_rows || table.sums.empty()) continue;
    const std::string fewer =
        table.fewer.empty() ? "Rows of one name are added up, for a terminal." : table.fewer;
    table.notes.insert(table.notes.begin(),
                       fmt::format("{} All {} rows: --table {}.", fewer, table.rows.size(), table.name));
    table.rows = std::exchange(table.sums, {});
  }
  return tables;
}

std::string name_from(std::string_view heading) {
  std::string name;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

std::vector<Table> chosen(std::vector<Table> tables, const std::string& name) {
  if (name.empty()) return tables;
  const auto found = std::ranges::find(tables, name, &Table::name);
  if (found != tables.end()) {
    Table one = *found;
    if (found != tables.begin() && !tables.front().title.empty()) one.notes.push_back(tables.front().title);
    for (const Table& other : tables)
      if (&other != &*found) std::ranges::copy(other.notes, std::back_inserter(one.notes));
    return {std::move(one)};
  }
  throw InputError("--table", fmt::format("'{}' is not among what these flags print", name),
                   fmt::format("Use {}", fmt::join(names_of(tables), " or ")));
}

Format parse_format(std::string_view text) {
  if (text == "table") return Format::table;
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  throw InputError("format", fmt::format("'{}' is no output format", text), "Use table, json or csv");
}

}  // namespace finegrain::output
