// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace finegrain::study {

/// What the closed form or a simulation says of a point. Times are in seconds and cover all iterations.
struct Answer {
  std::optional<double> total_s;
  /// Names and times. Of a kernel, its phases in program order, each with the time of its slowest rank
  /// (closed form: by eqs. (16) to (22)). Of a recorded program, its functions, each with the mean time of a
  /// rank, the longest first. Of jobs, the time of each alone and together.
  std::vector<std::pair<std::string, double>> phases_s;
  std::optional<double> energy_j = {};  ///< only of a simulation on a platform that states its powers
  std::string none_because;             ///< why there is no total; else empty
  bool interrupted = false;  ///< the simulation was killed or got no memory; a new attempt may succeed
  /// Only of jobs: the largest ratio of a job's time together with the others to its time alone.
  std::optional<double> slow_down = {};

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// For sim/replay/bytes.hpp.
inline auto parts_of(Answer& answer) {
  return std::tie(answer.total_s, answer.phases_s, answer.energy_j, answer.none_because, answer.interrupted,
                  answer.slow_down);
}

}  // namespace finegrain::study
