// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace finegrain {

/// Axes given as flags: name and values, e.g. {"nodes", {"powers of two 1..16"}}.
using AxisFlags = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The study file that says the same; values are spelled as in a file.
std::string study_text(const AxisFlags& axes, const std::string& simulate);

}  // namespace finegrain
