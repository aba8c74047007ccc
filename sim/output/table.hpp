// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain::output {

/// markdown is for generated documents; --format knows the others.
enum class Format : std::uint8_t { table, json, csv, markdown };

/// One column of results.
struct Column {
  std::string key;      ///< machine name with unit, e.g. "simulated_s": JSON member, CSV header
  std::string heading;  ///< for people, e.g. "simulated"
  int decimals = 3;     ///< digits after the point, in the table only; JSON and CSV keep every digit
};

/// Nothing ("–" in the table, null in JSON, empty in CSV), text, a count, or a number.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// What a subcommand prints: a title, rows, and notes that say where each figure comes from.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< shape [rows][columns]
  std::vector<std::string> notes;
  std::string name = {};  ///< what --table calls it, where a subcommand prints several
  /// Fewer rows in place of these, which add up those of one name; empty: there are none of one name.
  std::vector<std::vector<Cell>> sums = {};
};

/// More rows than this flood a terminal.
inline constexpr std::size_t most_terminal_rows = 20;

/// Tables as a terminal shows them: the sums, if there are any, in place of too many rows, and a note of it.
std::vector<Table> for_terminal(std::vector<Table> tables);

/// table: aligned columns with title and notes;
/// csv: the first table, as header and rows; title, notes and the names of the other tables as # comments;
/// markdown: a heading, a table, and the notes as paragraphs;
/// json: an array of {"name", "title", "rows": [{key: value}], "notes"}, of one table as well.
void print(std::ostream& out, const std::vector<Table>& tables, Format format);

/// A heading as a table's name: small letters and digits, with - between words.
std::string name_from(std::string_view heading);

/// The table of that name alone, with the title of the first one and the notes of all, which say where its
/// figures come from; without a name, all. @throws InputError if there is none
std::vector<Table> chosen(std::vector<Table> tables, const std::string& name);

/// "table", "json", "csv" for CLI11. @throws InputError
Format parse_format(std::string_view text);

}  // namespace finegrain::output
