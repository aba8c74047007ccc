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

/// A column of Tables 2 to 4 of Zhang & Seidel 2006: a platform, and the policy of its accesses.
struct PrecisionColumn {
  std::string_view title;
  std::string_view column;    ///< in traces/published/upc_model_precision.csv
  std::string_view rates;     ///< the platform of model::published_rates()
  std::string_view platform;  ///< its file
  std::string_view policy;
};
const std::vector<PrecisionColumn>& precision_columns();

/// One cell of these tables: how far eq. (1) is from the time of a program, (predicted - actual) / actual,
/// eq. (4).
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
  double simulated_s = 0;  ///< time of the program's slowest thread, without barriers

  double simulated_percent() const;
};

/// The tables as printed; nothing is simulated.
std::vector<ModelPrecision> published_precisions();

/// A platform's column of Table 1, from simulated microbenchmarks. In each, every thread makes `accesses`
/// accesses. The rate is that of the slowest thread, without the barrier at the end.
model::ReferenceRates simulated_rates(const platform::Platform& platform, std::string_view policy,
                                      int threads, std::int64_t accesses, int processes);

/// Simulates the microbenchmarks and the programs.
/// @param platform_of  gives the platform for the name of a file
/// @param show  called with the name of each part before it is simulated
void simulate(std::vector<ModelPrecision>& cells,
              const std::function<platform::Platform(std::string_view)>& platform_of, int processes,
              const std::function<void(std::string_view)>& show = {});

/// How a column compares: the model against the program, as printed and as simulated.
struct PrecisionScore {
  std::int64_t cells = 0;
  std::int64_t same_sign = 0;
  double mean_difference = 0;            ///< between printed and simulated, percent, in magnitude
  double mean_printed = 0;               ///< in magnitude
  double mean_simulated = 0;             ///< in magnitude
  std::int64_t printed_within_15 = 0;    ///< within 15 %, as the paper claims for most
  std::int64_t simulated_within_15 = 0;  ///< within 15 %
};
PrecisionScore score_of(const std::vector<ModelPrecision>& cells, const PrecisionColumn& column);

output::Table precision_scores_as_table(const std::vector<ModelPrecision>& cells);
output::Table precisions_as_table(const std::vector<ModelPrecision>& cells);

}  // namespace finegrain::validation
