// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace finegrain::study {

/// Axes given as flags: name and values, e.g. {"nodes", {"powers of two 1..16"}}.
using AxisFlags = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// "--ranks-per-node" of ranks_per_node.
std::string flag_of(const std::string& axis);

/// A study file that flags stand for.
struct StudyText {
  std::string text;
  std::vector<std::string> flags;  ///< that each of its lines is of, for errors
};

/// The study file that says the same; values are spelled as in a file. @param simulate  empty: as without it
StudyText study_text(const AxisFlags& axes, const std::string& simulate, bool oversubscribe);

}  // namespace finegrain::study
