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
#include <sstream>
#include <utility>

#include "traces/io/csv.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::output {
namespace {

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&cell))
    return fmt::format("{:.{}f}", *number, column.decimals);
  return "–";
}

/// A cell as text for people. A time or a platform's cost never shows as zero unless it is zero.
std::string readable(const Cell& cell, const Column& column) {
  const auto* number = std::get_if<double>(&cell);
  const bool is_time = column.key.ends_with("_s") || column.key.ends_with("_ms") ||
                       column.key.ends_with("_us") || column.key == "seconds" || column.key == "value";
  if (number == nullptr || !is_time) return text_of(cell, column);
  return *number == 0 ? "0" : format_decimals(*number, column.decimals);
}

/// Columns a string takes on a terminal: its UTF-8 characters.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Prints text broken between words, so that a terminal of the usual width need not break it.
void print_wrapped(std::ostream& out, const std::string& text) {
  constexpr std::size_t terminal_width = 80;
  constexpr std::string_view indentation = "  ";
  std::istringstream words(text);
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + width(word) > terminal_width) {
      out << '\n' << indentation;
      column = indentation.size();
    } else if (column > 0) {
      out << ' ';
      ++column;
    }
    out << word;
    column += width(word);
  }
  out << '\n';
}

void print_table(std::ostream& out, const Table& table) {
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> left_aligned(columns, false);
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = width(table.columns[c].heading);
    for (const auto& row : table.rows) {
      widths[c] = std::max(widths[c], width(readable(row.at(c), table.columns[c])));
      left_aligned[c] = left_aligned[c] || std::holds_alternative<std::string>(row.at(c));
    }
  }
  const auto print_line = [&](const auto& text) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string cell = text(c);
      const std::string padding(widths[c] - width(cell), ' ');
      line += (c == 0 ? "" : "  ") + (left_aligned[c] ? cell + padding : padding + cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  if (!table.title.empty()) print_wrapped(out, printable(table.title));
  print_line([&](std::size_t c) { return table.columns[c].heading; });
  print_line([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : table.rows)
    print_line([&](std::size_t c) { return readable(row[c], table.columns[c]); });
  for (const auto& note : table.notes)
    print_wrapped(out, printable(note));
}

nlohmann::ordered_json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

nlohmann::ordered_json json_of(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      object[table.columns[c].key] = json_of(row.at(c));
    rows.push_back(std::move(object));
  }
  return {{"name", table.name}, {"title", table.title}, {"rows", std::move(rows)}, {"notes", table.notes}};
}

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

void print(std::ostream& out, const std::vector<Table>& tables, Format format) {
  if (format == Format::json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& table : tables)
      all.push_back(json_of(table));
    // File names may hold bytes that are not UTF-8, which JSON requires.
    out << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return;
  }
  if (format == Format::csv) return print_csv(out, tables);
  bool first = true;
  for (const auto& table : tables) {
    if (!first) out << '\n';
    first = false;
    if (format == Format::markdown) {
      print_markdown(out, table);
    } else {
      print_table(out, table);
    }
  }
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
