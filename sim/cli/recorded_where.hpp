// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "traces/manifest.hpp"
#include "traces/measurement.hpp"

namespace finegrain::cli {

/// Why a trace's times are not to be held against what is simulated on a platform: it is not known to be the
/// machine that the trace was recorded on, or was measured while it was busy. Empty: they are.
std::string elsewhere(const Manifest& manifest, const std::filesystem::path& platform);

/// Why nothing is to be held against a trace's times: other programs took part of the machine while it was
/// recorded. Empty: nothing says so.
std::string disturbed(const Manifest& manifest, const Measurement& measured);

/// Whether the platform was calibrated on the machine of the trace.
bool is_measured_where(const Manifest& manifest, const std::filesystem::path& platform);

}  // namespace finegrain::cli
