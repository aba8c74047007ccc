// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/run.hpp"

namespace finegrain::problem {

/// What makes the heat solver's new temperatures the next step's old ones: the arrays change places, or all
/// points are copied (Listing 8).
enum class HeatUpdate : std::uint8_t { swap, copy };

std::string_view to_string(HeatUpdate update);

/// An explicit 2D heat step on rows x columns inner points, cut into mprocs x nprocs parts (Lagravière et al.
/// 2019, section 8): the settings of pattern "heat".
struct HeatProblem {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int mprocs = 0;
  int nprocs = 0;
  HeatUpdate update = HeatUpdate::swap;

  operator Problem() const;  // NOLINT(google-explicit-constructor): it is one
  /// @pre problem.pattern is "heat"
  /// @throws InputError if a setting is missing or impossible
  static HeatProblem of(const Problem& problem);
};

}  // namespace finegrain::problem
