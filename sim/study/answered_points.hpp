// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// A study's points that have an answer. The simulated points come first, the fastest first; then the others,
/// ordered by their closed form. Equal points keep their order in the study.
struct AnsweredPoints {
  /// The columns of inputs in which the study's points differ, then the answers, in seconds of all
  /// iterations. Values of the axis jobs are long, so the table numbers them, and its notes say what each
  /// number is.
  output::Table table;
  std::vector<std::int64_t> numbers;  ///< the points' in the study, shape [table.rows]
  std::vector<std::int64_t> nodes;    ///< shape [table.rows]
  std::size_t all = 0;                ///< how many points the database has, with or without an answer
};

/// @throws InputError if a row is damaged, or names a program that does not exist
AnsweredPoints answered_points(const Database& database);

}  // namespace finegrain::study
