// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/partitions.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::validation {

/// A column of Tables 2 to 4 of Zhang & Seidel 2006: a platform, and what its accesses go through.
struct PrecisionColumn {
  std::string_view title;
  std::string_view column;    ///< in traces/published/upc_model_precision.csv
  std::string_view rates;     ///< the platform of model::published_rates()
  std::string_view platform;  ///< its file
  std::string_view policy;
};
const std::vector<PrecisionColumn>& precision_columns();

/// One cell of them: how far eq. (1) is from what a program takes, (predicted - actual) / actual, eq. (4).
struct ModelPrecision {
  const PrecisionColumn* column = nullptr;
  std::string application;
  std::string parameter;  ///< as printed
  std::string layout;
  int threads = 0;
  double printed_percent = 0;
  /// T_comm of eq. (1) from the rates of Table 1; none: the paper prints none for so many threads.
  std::optional<double> printed_rates_s;
  double predicted_s = 0;  ///< T_comm of eq. (1) from the rates of simulated microbenchmarks
  double simulated_s = 0;  ///< the program: its slowest thread, barriers left out

  double simulated_percent() const;
};

/// The tables, nothing simulated.
std::vector<ModelPrecision> published_precisions();

/// Table 1 of a platform: each microbenchmark is simulated, as many accesses of every thread. The slowest
/// thread decides; the barrier that ends them is left out.
model::ReferenceRates simulated_rates(const platform::Platform& platform, std::string_view policy,
                                      int threads, std::int64_t accesses, int processes);

/// Simulates the microbenchmarks and the programs.
/// @param platform_of  the platform of a file's name
/// @param show  called before each part with what it is
void simulate(std::vector<ModelPrecision>& cells,
              const std::function<platform::Platform(std::string_view)>& platform_of, int processes,
              const std::function<void(std::string_view)>& show = {});

/// How a column compares: the model against the program, as printed and as simulated.
struct PrecisionScore {
  std::int64_t cells = 0;
  std::int64_t same_sign = 0;
  double mean_difference = 0;            ///< of both, percent, in magnitude
  double mean_printed = 0;               ///< in magnitude
  double mean_simulated = 0;             ///< in magnitude
  std::int64_t printed_within_15 = 0;    ///< percent: what the paper claims of most
  std::int64_t simulated_within_15 = 0;  ///< percent
};
PrecisionScore score_of(const std::vector<ModelPrecision>& cells, const PrecisionColumn& column);

output::Table precision_scores_as_table(const std::vector<ModelPrecision>& cells);
output::Table precisions_as_table(const std::vector<ModelPrecision>& cells);

}  // namespace finegrain::validation
