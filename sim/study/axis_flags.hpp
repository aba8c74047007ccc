// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace finegrain::study {

/// Axes given as flags: name and values, e.g. {"nodes", {"powers of two 1..16"}}.
using AxisFlags = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The flag that gives an axis, e.g. "--ranks-per-node" for ranks_per_node.
std::string flag_of(const std::string& axis);

/// The text of the study file that says the same as some flags.
struct StudyText {
  std::string text;
  std::vector<std::string> flags;  ///< the flag that each line of the text comes from, for errors
};

/// The study file that says the same as these flags. Values are spelled as in a file.
/// @param simulate  the value of `simulate`; empty: the file does not have it
StudyText study_text(const AxisFlags& axes, const std::string& simulate, bool oversubscribe);

}  // namespace finegrain::study
