// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/calibration/calibration.hpp"

namespace finegrain::calibration {

/// More than this share of the CPUs' time with others, and the machine is not quiet.
inline constexpr double most_others_share = 0.10;
/// No more may STREAM's repeats lie apart, first to last decile, relative to their median.
inline constexpr double most_spread = 0.50;

/// Of STREAM with one rank or with all, whichever lies further apart.
double spread_of_stream(const Calibration& found);

bool is_quiet(const Calibration& found);

/// "others had 37 % of the CPUs' time, and repeats of STREAM lie 12 % apart"
std::string describe_quietness(const Calibration& found);

/// @throws InputError where the machine was not quiet
void refuse_busy(const Calibration& found);

}  // namespace finegrain::calibration
