// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/calibration/calibration.hpp"

namespace finegrain::calibration {

/// What a microbenchmark printed, from the line "{" to the line "}": what its launcher prints before or after
/// is no part of it.
/// @returns a discarded value if there is no such thing
nlohmann::json result_in(const std::string& output);

enum class Nodes { one, one_a_rank };
/// @throws InputError if the ranks did not run on as many nodes, by the hosts and the memory that they name
void check_placement(const nlohmann::json& printed, Nodes asked_for);

/// Each takes what a microbenchmark printed (kernels/micro), and puts it in its place.
/// @throws nlohmann::json::exception if a member is missing: the program is of another version
void take_stream(const nlohmann::json& printed, Calibration& found);
void take_barrier(const nlohmann::json& printed, Calibration& found);
void take_accesses(const nlohmann::json& printed, const std::string& test, Calibration& found);
void take_pingpong(const nlohmann::json& printed, Messages& found);
void take_loggp(const nlohmann::json& printed, Messages& found);
void take_replies(const nlohmann::json& printed, Calibration& found);
void take_random_get(const nlohmann::json& printed, Messages& found);

}  // namespace finegrain::calibration
