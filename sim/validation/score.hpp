// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/validation/comparison.hpp"

namespace finegrain::validation {

/// How far the computed values of a column are from the measured ones.
struct Misses {
  double mean_percent = 0;    ///< mean absolute percentage error
  double mean_log_ratio = 0;  ///< mean |ln(computed / measured)|: too high and too low count alike
  double worst_percent = 0;   ///< the error with the largest |ln|, signed
  int worst_ranks = 0;        ///< number of ranks of that cell
};

struct Score {
  std::string table;
  std::string column;
  std::size_t cells = 0;
  Misses simulated;
  std::optional<Misses> closed_form;
};

/// A score for each column of a table that has cells of this standing. Other cells are left out.
std::vector<Score> scores(const ComparedTable& table, Standing standing = Standing::scored);

/// Whether a scored cell is of a run on more than one node.
bool scores_on_several_nodes(const ComparedTable& table);

/// 100 (computed / measured - 1).
double error_percent(double said_s, double measured_s);

}  // namespace finegrain::validation
