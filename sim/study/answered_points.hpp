// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/study/database.hpp"

namespace finegrain::study {

/// A study's points that have an answer, the fastest first: those simulated, then the others by their closed
/// form; of equals the first.
struct AnsweredPoints {
  /// Of the inputs, those in which the study's points differ; then the answers, seconds of all iterations.
  /// Values of the axis jobs are long: they have numbers, and notes say what they are.
  output::Table table;
  std::vector<std::int64_t> numbers;  ///< in the study, shape [table.rows]
  std::vector<std::int64_t> nodes;    ///< shape [table.rows]
  std::size_t all = 0;                ///< points of the database, also those without an answer
};

/// @throws InputError if a row is damaged, or names a program that there is none of
AnsweredPoints answered_points(const Database& database);

}  // namespace finegrain::study
