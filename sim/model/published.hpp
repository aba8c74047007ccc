// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/problem/heat_problem.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::model {

/// Rows of numbers under named columns.
struct NumberTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;  ///< shape [rows][columns]

  /// @pre the row and the column exist
  double at(std::size_t row, std::string_view column) const;
};

/// One file of traces/published/, by its name without extension. @pre the file exists and has only numbers
NumberTable published_table(std::string_view name);

/// Rows of words and numbers under named columns.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< shape [rows][columns]

  /// @pre the row and the column exist
  const std::string& at(std::size_t row, std::string_view column) const;
  /// None where the cell is empty.
  std::optional<double> number_at(std::size_t row, std::string_view column) const;
};

/// The same for a file that also has words. @pre the file exists
TextTable published_text(std::string_view name);

/// A measured and a predicted time as a paper prints them, for all iterations of its experiment.
struct PublishedTime {
  double measured_s = 0;
  double predicted_s = 0;
};

/// One row of Table 4, Lagravière et al. 2019: 1000 SpMV iterations of test problem 1 on Abel.
struct PublishedSpmv {
  int ranks = 0;
  std::int64_t block_size = 0;
  PublishedTime individual;
  PublishedTime block;
  PublishedTime condensed;
};

/// One row of Table 5: 1000 steps of the 2D heat solver on Abel.
struct PublishedHeat {
  problem::HeatProblem problem;
  PublishedTime halo;
  PublishedTime compute;
};

std::vector<PublishedSpmv> published_spmv();
std::vector<PublishedHeat> published_heat();

// What both tables share.
inline constexpr std::int64_t published_iterations = 1000;
inline constexpr int published_ranks_per_node = 16;
/// Tetrahedra of test problem 1 (Table 1), and its r_nz (section 6.1).
inline constexpr std::int64_t published_spmv_rows = 6'810'586;
inline constexpr int published_spmv_r_nz = 16;

/// The Abel cluster in the units that reproduce both tables: 75 GB/s is 75 * 1000 * 2^20 B/s, 6 GB/s is
/// 6 * 2^30 B/s. Source: caption of Table 4; the units from Table 5's predicted columns (docs/model.md).
platform::PlatformCosts published_abel();

/// Text of one file of traces/published/, by its name without extension; the files are part of the program.
/// @pre there is such a file
std::string_view published_csv(std::string_view name);

}  // namespace finegrain::model
