// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace finegrain::cli {

/// What a run is, in the order in which the file says it: ("ranks", "4"), ...
using RunParts = std::vector<std::pair<std::string, std::string>>;

/// One run on one platform.
struct KeptAnswer {
  RunParts parts;
  std::map<std::string, double> seconds = {};                  ///< by "simulated", "measured", "closed form"
  std::vector<std::pair<std::string, double>> regions_s = {};  ///< simulated, the mean of the ranks
};

struct KeptAnswers {
  std::vector<KeptAnswer> answers = {};
  std::string whole = "of all iterations";  ///< what the seconds are of
  /// What a region's seconds are.
  std::string regions = "mean of the ranks";
};

/// Members of JSON that hold a run's seconds, and what people call them.
inline constexpr std::array<std::pair<const char*, const char*>, 3> origins_of_seconds = {
    {{"simulated_s", "simulated"}, {"measured_s", "measured"}, {"closed_form_s", "closed form"}}};

/// Whether this is a file of answers, as --format json prints them.
bool is_kept_answers(const std::string& path);

/// Answers that compare, replay or study export printed as JSON.
/// @throws InputError where a file has none
KeptAnswers read_answers(const std::string& path);

}  // namespace finegrain::cli
