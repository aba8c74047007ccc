// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace finegrain::micro {

/// @pre values is not empty
double median_of(const std::vector<double>& values);

/// {"median": ..., "p10": ..., "p90": ..., "samples": ...}: median, first and last decile. A single
/// interruption among thousands of samples would decide the maximum, but it says nothing about the machine.
/// @pre values is not empty
nlohmann::ordered_json spread_json(const std::vector<double>& values);

/// Prints what a program measured, as JSON.
void print(const nlohmann::ordered_json& result);

}  // namespace finegrain::micro
