// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/output/table.hpp"

namespace finegrain::output {

/// The width of a terminal where nobody says another one.
inline constexpr std::size_t usual_width = 80;

/// A cell as text, with the column's digits.
std::string text_of(const Cell& cell, const Column& column);

/// Prints a table for people: title, aligned columns, notes. No line is wider than `width`, unless a single
/// word is. Where the columns are too wide, these steps are taken, each only if those before did not suffice:
/// - headings are broken into lines;
/// - columns in which no row has anything are left out;
/// - long texts are broken into lines;
/// - the columns are printed in several parts, one below the other, each with the first columns, which say
///   what a row is of.
/// Columns that say what a row is of stand together, also where one of them is last, so that it does not move
/// the columns of a CSV. A column of times gets up to three more digits, so that rows which differ are seen
/// to differ.
void print_text(std::ostream& out, const Table& table, std::size_t width);

/// Prints a text as titles and notes are printed: broken between words at the usual width.
void print_text(std::ostream& out, const std::string& text);

/// Characters of a table's rows where no heading and no text is broken.
std::size_t table_width(const Table& table);

/// As output::print(), with a width for tables for people.
void print(std::ostream& out, const std::vector<Table>& tables, Format format, std::size_t width);

}  // namespace finegrain::output
