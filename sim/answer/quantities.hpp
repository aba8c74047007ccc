// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"

namespace finegrain::answer {

/// Whether a table has a column for a quantity that none of its rows has.
enum class WhereEmpty : std::uint8_t { left_out, shown };

/// Something that an answer says of its whole run, declared once. Tables take their columns, and JSON and CSV
/// their names, from here.
struct Quantity {
  output::Column column;  ///< its name with the unit, its heading, and the decimals in a table
  output::Origin origin;
  WhereEmpty where_empty;
  output::Cell (*value)(const Answer& answer);
  std::string_view help;              ///< what it is: a noun phrase
  std::string_view interval_of = {};  ///< the quantity between this one and the next
};

/// All quantities of a run, in the order in which tables show them.
std::span<const Quantity> quantities();

/// @pre the name is a quantity's
const Quantity& quantity(std::string_view name);

/// Its column with its origin and help.
output::Column column_of(const Quantity& quantity);

/// The value of a quantity. None: the answer has none, or it is a text. @pre the name is a quantity's
std::optional<double> number_of(const Answer& answer, std::string_view name);

/// The names of those that comparisons of runs show of each.
std::span<const std::string_view> compared_totals();

/// A row for each answer, and a column for each of these quantities, in this order. It has no title or notes.
/// @pre each name is a quantity's
output::Table table_of(std::span<const Answer> answers, std::span<const std::string_view> names);

}  // namespace finegrain::answer
