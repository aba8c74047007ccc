// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/calibration/calibration.hpp"

namespace finegrain::calibration {

/// The JSON that a microbenchmark printed, from the line "{" to the line "}". What its launcher prints before
/// or after is ignored.
/// @returns a discarded value if there is no such JSON
nlohmann::json result_in(const std::string& output);

enum class Nodes { one, one_a_rank };
/// Checks on how many nodes the ranks ran, from the names of their hosts and of their memory.
/// @throws InputError if it is another number than was asked for
void check_placement(const nlohmann::json& printed, Nodes asked_for);

/// Each of these stores what a microbenchmark (kernels/micro) printed in the matching members.
/// @throws nlohmann::json::exception if a member is missing, because the microbenchmark has another version
void take_stream(const nlohmann::json& printed, Calibration& found);
void take_barrier(const nlohmann::json& printed, Calibration& found);
void take_accesses(const nlohmann::json& printed, const std::string& test, Calibration& found);
void take_pingpong(const nlohmann::json& printed, Messages& found);
void take_loggp(const nlohmann::json& printed, Messages& found);
void take_replies(const nlohmann::json& printed, Calibration& found);
void take_random_get(const nlohmann::json& printed, Messages& found);

}  // namespace finegrain::calibration
