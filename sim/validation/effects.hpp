// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"
#include "sim/validation/comparison.hpp"

namespace finegrain::validation {

/// An effect that the replay models and the closed form leaves out, and how to take it away.
struct Effect {
  std::string_view name;  ///< as in --without
  std::string_view what;
  void (*take_away)(platform::PlatformCosts& costs, replay::ReplayOptions& options);
};

std::span<const Effect> effects();

/// @throws InputError if there is no such effect
void take_away(platform::PlatformCosts& costs, replay::ReplayOptions& options,
               const std::vector<std::string>& names);

/// The tables as compared with one set of effects.
struct AblationRow {
  std::string effects;  ///< e.g. "without contention"
  std::vector<ComparedTable> compared;
};

/// One row for each set of effects, and one column for each scored column of the papers' tables: the mean
/// absolute percentage error for heat, the mean |ln(computed / measured)| for SpMV. The first row is the
/// closed form's.
/// @pre at least one row; all have the same tables
output::Table ablation_as_table(const std::vector<AblationRow>& rows);

}  // namespace finegrain::validation
