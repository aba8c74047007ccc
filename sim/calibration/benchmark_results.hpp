// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "sim/calibration/calibration.hpp"

namespace finegrain {

/// Each takes what a microbenchmark printed (kernels/micro), and puts it in its place.
/// @throws nlohmann::json::exception if a member is missing: the program is of another version
void take_stream(const nlohmann::json& printed, Calibration& found);
void take_barrier(const nlohmann::json& printed, Calibration& found);
void take_accesses(const nlohmann::json& printed, const std::string& test, Calibration& found);
void take_pingpong(const nlohmann::json& printed, Messages& found);
void take_loggp(const nlohmann::json& printed, Messages& found);
void take_random_get(const nlohmann::json& printed, Messages& found);

}  // namespace finegrain
