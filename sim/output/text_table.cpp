// SPDX-License-Identifier: MIT
#include "sim/output/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/output/text_lines.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::output {
namespace {

constexpr std::string_view gap = "  ";  ///< between columns, and before a text's second line

bool is_time(const Column& column) {
  return column.key.ends_with("_s") || column.key.ends_with("_ms") || column.key.ends_with("_us") ||
         column.key == "seconds" || column.key == "value";
}

bool is_energy(const Column& column) {
  return column.key.ends_with("_j") || column.key.ends_with("_js") || column.key == "j_per_iteration";
}

/// A cell as text for people. A time or a platform's cost never shows as zero unless it is zero.
std::string readable(const Cell& cell, const Column& column) {
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !is_time(column)) return text_of(cell, column);
  return *number == 0 ? "0" : format_decimals(*number, column.decimals);
}

/// The digits after the point that an interval's ends need: the last one counts a quarter of its width at
/// most.
int decimals_between(double low, double high) {
  const double quarter = (high - low) / 4;
  if (!(quarter > 0) || !std::isfinite(quarter)) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(quarter))), 0, 15);
}

/// " (0.031–0.041)": what a row says of the ends of a column's interval; empty if it says nothing.
std::string interval_of(const Table& table, const std::vector<Cell>& row, const Column& column) {
  const auto low = std::ranges::find(table.columns, column.key, &Column::interval_of);
  if (low == table.columns.end()) return {};
  const auto place = static_cast<std::size_t>(low - table.columns.begin());
  const auto* from = std::get_if<double>(&row.at(place));
  const auto* to = std::get_if<double>(&row.at(place + 1));
  if (from == nullptr || to == nullptr) return {};
  const int decimals = decimals_between(*from, *to);
  return fmt::format(" ({:.{}f}–{:.{}f})", *from, decimals, *to, decimals);
}

/// Whether two numbers that differ enough to matter, and are not small beside the column's largest, look the
/// same with the column's digits.
bool hides_a_difference(const Table& table, std::size_t c, const Column& column) {
  constexpr double least_difference = 1e-3;
  constexpr double least_share = 0.01;
  double largest = 0;
  for (const auto& row : table.rows)
    if (const auto* number = std::get_if<double>(&row[c])) largest = std::max(largest, std::abs(*number));
  std::map<std::string, std::pair<double, double>> alike;  // least and most of each text
  for (const auto& row : table.rows) {
    const auto* number = std::get_if<double>(&row[c]);
    if (number == nullptr || !std::isfinite(*number) || std::abs(*number) < least_share * largest) continue;
    const auto [known, is_new] = alike.try_emplace(readable(*number, column), *number, *number);
    auto& [least, most] = known->second;
    least = std::min(least, *number);
    most = std::max(most, *number);
  }
  return std::ranges::any_of(alike, [](const auto& text) {
    const auto& [least, most] = text.second;
    return most - least > least_difference * std::max(std::abs(least), std::abs(most));
  });
}

/// The column with as many digits as it takes to tell its rows apart.
Column with_enough_digits(const Table& table, std::size_t c) {
  constexpr int most_more = 3;
  Column column = table.columns[c];
  if (!is_time(column) && !is_energy(column)) return column;
  while (column.decimals < table.columns[c].decimals + most_more && hides_a_difference(table, c, column))
    ++column.decimals;
  return column;
}

/// The lines of a heading, which may also be broken after a slash.
std::vector<std::string> broken_heading(const std::string& heading, std::size_t width) {
  std::vector<std::string> lines{""};
  std::string_view rest = heading;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" /"), rest.size() - 1);
    const std::string_view piece = rest.substr(0, end + 1);
    const std::size_t piece_width = width_of(piece) - (piece.ends_with(' ') ? 1 : 0);
    if (!lines.back().empty() && width_of(lines.back()) + piece_width > width) lines.emplace_back();
    lines.back() += piece;
    rest.remove_prefix(piece.size());
  }
  for (std::string& line : lines)
    line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::size_t widest(std::span<const std::string> lines) {
  std::size_t most = 0;
  for (const std::string& line : lines)
    most = std::max(most, width_of(line));
  return most;
}

/// A column as it is printed.
struct TextColumn {
  std::string title;                 ///< the heading in one line
  std::vector<std::string> heading;  ///< its lines
  std::vector<std::string> cells;    ///< the rows', each in one line
  std::size_t widest_cell = 0;
  bool is_text = false;     ///< then it is left-aligned
  bool is_number = false;   ///< rather than counts or text
  bool is_empty = true;     ///< no row has anything
  std::string absent = {};  ///< why rows lack it
  bool says_what = false;   ///< although it is not among the first columns
  std::size_t most_width = std::numeric_limits<std::size_t>::max();  ///< at which cells are broken

  std::size_t cell_width() const { return std::min(widest_cell, most_width); }
  std::size_t width() const { return std::max(widest(heading), cell_width()); }
  /// What it takes if the heading is broken wherever that is possible.
  std::size_t least_width() const { return std::max(widest(broken_heading(title, 0)), cell_width()); }
  /// Below which its longest words do not go.
  std::size_t least_text_width() const {
    constexpr std::size_t least_useful = 24;
    std::size_t least = least_useful;
    for (const std::string& cell : cells)
      least = std::max(least, widest(in_lines(cell, 0, "")));
    return least;
  }
};

using Columns = std::vector<TextColumn>;

Columns columns_of(const Table& table) {
  Columns columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column column = with_enough_digits(table, c);
    if (!column.interval_of.empty()) continue;
    TextColumn& text =
        columns.emplace_back(TextColumn{.title = column.heading, .heading = {column.heading}, .cells = {}});
    text.says_what = column.key == "ranks_per_node";
    text.absent = column.absent;
    for (const auto& row : table.rows) {
      text.cells.push_back(readable(row.at(c), column) + interval_of(table, row, column));
      text.widest_cell = std::max(text.widest_cell, width_of(text.cells.back()));
      text.is_text = text.is_text || std::holds_alternative<std::string>(row[c]);
      text.is_number = text.is_number || std::holds_alternative<double>(row[c]);
      text.is_empty = text.is_empty && std::holds_alternative<std::monostate>(row[c]);
    }
  }
  return columns;
}

/// How many of the first columns say what a row is of: texts and counts before the first number.
std::size_t leading(const Columns& columns) {
  const bool has_numbers = std::ranges::any_of(columns, &TextColumn::is_number);
  const auto first_other = std::ranges::find_if(columns, [&](const TextColumn& column) {
    return !column.is_text && (!has_numbers || column.is_number || column.is_empty);
  });
  return static_cast<std::size_t>(first_other - columns.begin());
}

/// Moves columns that say what a row is of to the others that do.
Columns in_order(Columns columns) {
  const auto after_leading = columns.begin() + static_cast<std::ptrdiff_t>(leading(columns));
  std::stable_partition(after_leading, columns.end(),
                        [](const TextColumn& column) { return column.says_what; });
  return columns;
}

std::size_t total_width(std::span<const TextColumn> columns) {
  std::size_t total = columns.empty() ? 0 : gap.size() * (columns.size() - 1);
  for (const TextColumn& column : columns)
    total += column.width();
  return total;
}

/// Breaks headings until the columns fit, those that gain most first.
void break_headings(Columns& columns, std::size_t width) {
  const auto gain = [](const TextColumn& column) { return column.width() - column.least_width(); };
  while (total_width(columns) > width) {
    const auto most = std::ranges::max_element(columns, {}, gain);
    if (most == columns.end() || gain(*most) == 0) return;
    most->heading = broken_heading(most->title, most->least_width());
  }
}

/// Breaks texts until the columns fit, the widest first. @returns whether they do
bool break_texts(Columns& columns, std::size_t width) {
  while (true) {
    const std::size_t total = total_width(columns);
    if (total <= width) return true;
    const auto room = [](const TextColumn& column) {
      const std::size_t least = std::max(column.least_text_width(), widest(column.heading));
      return column.is_text && column.width() > least ? column.width() - least : 0;
    };
    const auto most = std::ranges::max_element(columns, {}, room);
    if (most == columns.end() || room(*most) == 0) return false;
    most->most_width = most->width() - std::min(room(*most), total - width);
  }
}

/// How many of the first columns each part has: those that say what a row is of, as long as they leave room.
std::size_t keys_of(const Columns& columns, std::size_t width) {
  std::size_t keys = std::min(leading(columns), columns.size() - 1);
  while (keys > 1 && total_width(std::span(columns).first(keys)) > width / 2)
    --keys;
  return columns.size() > 1 ? std::max<std::size_t>(keys, 1) : 0;
}

/// The columns after the keys in parts, none wider than `width` with the keys, unless a single column is.
std::vector<std::vector<std::size_t>> parts_of(const Columns& columns, std::size_t keys, std::size_t width) {
  std::vector<std::vector<std::size_t>> parts(1);
  std::size_t used = total_width(std::span(columns).first(keys));
  const std::size_t of_keys = used;
  for (std::size_t c = keys; c < columns.size(); ++c) {
    const std::size_t more = gap.size() + columns[c].width();
    if (used + more > width && !parts.back().empty()) {
      parts.emplace_back();
      used = of_keys;
    }
    parts.back().push_back(c);
    used += more;
  }
  return parts;
}

/// As few parts as possible, of about the same width.
std::vector<Columns> split(const Columns& columns, std::size_t width) {
  const std::size_t keys = keys_of(columns, width);
  std::vector<std::vector<std::size_t>> parts = parts_of(columns, keys, width);
  for (std::size_t narrower = width; narrower > width / 2; --narrower) {
    const auto other = parts_of(columns, keys, narrower);
    if (other.size() > parts.size()) break;
    parts = other;
  }
  std::vector<Columns> split;
  for (const std::vector<std::size_t>& part : parts) {
    Columns& of_part =
        split.emplace_back(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(keys));
    for (const std::size_t c : part)
      of_part.push_back(columns[c]);
    for (TextColumn& column : of_part)
      column.heading = {column.title};
  }
  return split;
}

/// Takes out columns that are empty and say why. @returns a note that says which and why; empty: there are
/// none
std::string take_out_empty(Columns& columns) {
  std::vector<std::pair<std::string, std::string>> headings;  // by the reasons
  for (const TextColumn& column : columns) {
    if (!column.is_empty || column.absent.empty()) continue;
    const auto same = std::ranges::find(headings, column.absent, [](const auto& one) { return one.first; });
    if (same == headings.end()) {
      headings.emplace_back(column.absent, column.title);
    } else {
      same->second += ", " + column.title;
    }
  }
  std::erase_if(columns, [](const TextColumn& column) { return column.is_empty && !column.absent.empty(); });
  std::string note;
  for (const auto& [reason, of_reason] : headings)
    note += fmt::format("{}{} ({})", note.empty() ? "not shown: " : "; ", of_reason, reason);
  return note;
}

/// The columns in parts that are narrow enough.
std::vector<Columns> laid_out(Columns columns, std::size_t width) {
  break_headings(columns, width);
  if (total_width(columns) <= width) return {columns};
  std::erase_if(columns, &TextColumn::is_empty);
  if (total_width(columns) <= width) return {columns};
  Columns with_broken_texts = columns;
  if (break_texts(with_broken_texts, width)) return {with_broken_texts};
  std::vector<Columns> parts = split(columns, width);
  for (Columns& part : parts) {
    break_headings(part, width);
    break_texts(part, width);
  }
  return parts;
}

/// Prints the n-th lines of all columns' lines, side by side, for each n.
void print_lines(std::ostream& out, const Columns& columns,
                 const std::vector<std::vector<std::string>>& lines_of_columns, bool at_the_bottom) {
  std::size_t height = 0;
  for (const auto& lines : lines_of_columns)
    height = std::max(height, lines.size());
  for (std::size_t n = 0; n < height; ++n) {
    std::string all;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& lines = lines_of_columns[c];
      const std::size_t first = at_the_bottom ? height - lines.size() : 0;
      const std::string text = n >= first && n < first + lines.size() ? lines[n - first] : "";
      const std::string padding(columns[c].width() - width_of(text), ' ');
      if (c != 0) all += gap;
      all += columns[c].is_text ? text + padding : padding + text;
    }
    all.erase(all.find_last_not_of(' ') + 1);
    out << all << '\n';
  }
}

void print_columns(std::ostream& out, const Columns& columns, std::size_t rows) {
  std::vector<std::vector<std::string>> lines;
  for (const TextColumn& column : columns)
    lines.push_back(column.heading);
  print_lines(out, columns, lines, true);
  for (std::size_t c = 0; c < columns.size(); ++c)
    lines[c] = {std::string(columns[c].width(), '-')};
  print_lines(out, columns, lines, true);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& cell = columns[c].cells[row];
      lines[c] = {cell};
      if (width_of(cell) <= columns[c].width()) continue;
      const std::string indent(cell.find_first_not_of(' '), ' ');  // that of a step of an explanation
      lines[c] = in_lines(cell, columns[c].width() - indent.size(), gap);
      for (std::string& line : lines[c])
        line.insert(0, indent);
    }
    print_lines(out, columns, lines, false);
  }
}

}  // namespace

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&cell))
    return fmt::format("{:.{}f}", *number, column.decimals);
  return "–";
}

void print_text(std::ostream& out, const std::string& text) {
  for (const std::string& line : in_lines(printable(text), usual_width, gap))
    out << line << '\n';
}

std::size_t table_width(const Table& table) {
  std::size_t all = 0;
  for (const TextColumn& column : columns_of(table))
    all += std::max(width_of(column.title), column.cell_width()) + (all == 0 ? 0 : gap.size());
  return all;
}

void print_text(std::ostream& out, const Table& table, std::size_t width) {
  if (!table.title.empty()) print_text(out, table.title);
  Columns columns = columns_of(table);
  const std::string left_out = table.rows.empty() ? "" : take_out_empty(columns);
  const std::vector<Columns> parts = laid_out(in_order(std::move(columns)), width);
  for (const Columns& part : parts) {
    if (&part != parts.data()) out << '\n';
    print_columns(out, part, table.rows.size());
  }
  for (const auto& note : table.notes)
    print_text(out, note);
  if (!left_out.empty()) print_text(out, left_out);
}

}  // namespace finegrain::output
