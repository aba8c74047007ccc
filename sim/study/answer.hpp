// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace finegrain::study {

/// What the closed form or a simulation says of a point, in seconds of all iterations.
struct Answer {
  std::optional<double> total_s;
  /// In program order: a phase's name and its slowest rank's time (closed form: eqs. (16) to (22)'s).
  std::vector<std::pair<std::string, double>> phases_s;
  std::optional<double> energy_j = {};  ///< of a simulation, where the platform says its powers
  std::string none_because;             ///< where there is no total
  bool interrupted = false;  ///< the simulation was killed or got no memory: another may have a total
  /// Of jobs: the largest of their times together over their times alone.
  std::optional<double> slow_down = {};

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// For sim/replay/bytes.hpp.
inline auto parts_of(Answer& answer) {
  return std::tie(answer.total_s, answer.phases_s, answer.energy_j, answer.none_because, answer.interrupted,
                  answer.slow_down);
}

}  // namespace finegrain::study
