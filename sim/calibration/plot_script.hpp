// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/calibration/calibration.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain::calibration {

/// A gnuplot script, data included, that draws what was measured (points, with bars from the first to the
/// last decile) and what was fitted (lines): memory bandwidth by ranks, and half a round trip by message
/// size. It writes the picture to stdout.
/// @param terminal  gnuplot's: "svg" or "pngcairo"
std::string plot_script(const Calibration& found, const std::string& terminal);
FileKind plot_script_kind();

/// The picture that gnuplot drew (SVG or PNG), with a mark inside that says that finegrain made it.
std::string marked_picture(std::string picture);
/// @param ending  the picture's file name's: ".svg" or ".png"
FileKind marked_picture_kind(const std::string& ending);

}  // namespace finegrain::calibration
