// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/study/points.hpp"

namespace finegrain::study {

/// A column of a point's inputs, and its type in the database.
struct InputColumn {
  std::string name;
  std::string type;
};

/// How a table of a database is made today, if it was made when compute_scale was always a number.
std::string as_made_today(std::string table);

/// All columns of inputs, including one for each parameter of any pattern, in the order of the database and
/// of exports (docs/studies.md).
const std::vector<InputColumn>& input_columns();

/// A quantity that is kept of each simulation (answer::quantities()), and its column. A new one goes to the
/// end of the list: a database that has no column for it stays readable.
struct KeptQuantity {
  const char* name;
  const char* column;
};
inline constexpr KeptQuantity kept_quantities[] = {{"energy_j", "simulated_j"},
                                                   {"slow_down", "slow_down"},
                                                   {"simulated_low_s", "simulated_low_s"},
                                                   {"simulated_high_s", "simulated_high_s"}};

/// The columns of a point's answers, which follow those of its inputs: of the closed form, then as many of
/// the simulation, then its quantities.
inline constexpr auto answer_columns = [] {
  std::array<const char*, 8 + std::size(kept_quantities)> columns{
      "closed_form_s", "closed_form_phases", "closed_form_none_because", "closed_form_by",
      "simulated_s",   "simulated_phases",   "simulated_none_because",   "simulated_by"};
  for (std::size_t i = 0; i < std::size(kept_quantities); ++i)
    columns[8 + i] = kept_quantities[i].column;
  return columns;
}();

/// A point's inputs, shape [input_columns]. A cell is empty where the point has no such input.
std::vector<output::Cell> input_row(const StudyPoint& point, const StudyFile& study,
                                    const StudyInputs& inputs);

/// Hexadecimal XXH3-64 of all rows of inputs. It identifies the study in its database.
std::string digest_of(const std::vector<std::vector<output::Cell>>& rows);

/// XXH3-64 of the cells of one row and of their types.
std::int64_t digest_of(const std::vector<output::Cell>& row);

}  // namespace finegrain::study
