// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain::output {

/// The format of printed tables. markdown is for generated documents; --format accepts the others.
enum class Format : std::uint8_t { table, json, csv, markdown };

/// Where a number comes from. given: it belongs to the question, or follows from it without a run or a model.
enum class Origin : std::uint8_t { given, measured, simulated, closed_form };

/// One column of results.
struct Column {
  std::string key;      ///< machine name with unit, e.g. "simulated_s": JSON member, CSV header
  std::string heading;  ///< for people, e.g. "simulated"
  int decimals = 3;     ///< digits after the point, in the table only; JSON and CSV keep every digit
  /// None: its key begins with it ("simulated_s"), or it is given.
  std::optional<Origin> origin = {};
  std::string help = {};  ///< what it is, for JSON; empty: the heading says it
  /// Why rows lack it. Then the table for people has no such column where all rows do, and a note says why.
  std::string absent = {};
  /// The key of the column whose number lies between this column's and the next one's: an interval's ends.
  /// The table for people has both in that column, "0.0359 (0.031–0.041)".
  std::string interval_of = {};
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
  /// Fewer rows for a terminal: they add up the rows of one name, or are what `fewer` says. Empty: there are
  /// none.
  std::vector<std::vector<Cell>> sums = {};
  std::string fewer = {};
  std::vector<Column> left_out = {};  ///< what no row has, each with the reason
};

/// The most rows that a terminal shows well.
inline constexpr std::size_t most_terminal_rows = 20;

/// Tables as a terminal shows them. If a table has too many rows, its sums, if it has any, replace them, and
/// a note says so.
std::vector<Table> for_terminal(std::vector<Table> tables);

/// table: aligned columns with title and notes;
/// csv: the first table, as header and rows; title, notes and the names of the other tables as # comments;
/// markdown: a heading, a table, and the notes as paragraphs;
/// json: an array, also if there is only one table (docs/json.md).
void print(std::ostream& out, const std::vector<Table>& tables, Format format);

/// A heading as a table's name: small letters and digits, with - between words.
std::string name_from(std::string_view heading);

/// Only the table of this name, with the title of the first table and the notes of all tables, which say
/// where its figures come from. With an empty name, all tables. @throws InputError if no table has the name
std::vector<Table> chosen(std::vector<Table> tables, const std::string& name);

/// "table", "json", "csv" for CLI11. @throws InputError
Format parse_format(std::string_view text);

}  // namespace finegrain::output
