// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/calibration/calibration.hpp"

namespace finegrain::calibration {

/// The machine is not quiet if other programs had more than this share of the CPUs' time.
inline constexpr double most_others_share = 0.10;
/// Nor is it quiet if STREAM's repeats lie further apart: first to last decile, relative to their median.
inline constexpr double most_spread = 0.50;

/// The spread of STREAM's repeats, with one rank or with all ranks, whichever is larger.
double spread_of_stream(const Calibration& found);

bool is_quiet(const Calibration& found);

/// E.g. "others had 37 % of the CPUs' time, and repeats of STREAM lie 12 % apart".
std::string describe_quietness(const Calibration& found);

/// @throws InputError if the machine was not quiet
void refuse_busy(const Calibration& found);

}  // namespace finegrain::calibration
