// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/study/answer.hpp"
#include "traces/run.hpp"

namespace finegrain::tune {

/// The quantity to minimize: seconds, joules, energy x delay (joule-seconds), or node-hours.
enum class Objective : std::uint8_t { time, energy, energy_delay, node_hours };

/// "time", "energy", "edp" or "node-hours". @throws InputError for others
Objective parse_objective(std::string_view text, std::string_view where);
/// "s", "J", "J s" or "node-hours"
std::string_view unit_of(Objective objective);
bool needs_energy(Objective objective);

std::int64_t nodes_of(const Run& run);

/// Computes the quantity by which ways to run are compared.
struct Judge {
  Objective objective = Objective::time;
  double busy_w = 0;  ///< power with all cores busy, used for answers without an energy (closed forms)

  /// The answer in the objective's unit; none if the answer has no total.
  std::optional<double> value(const Run& run, const study::Answer& answer) const;
  /// Grows with the value, and in proportion to time at constant power, so that a search may extrapolate it.
  std::optional<double> cost(const Run& run, const study::Answer& answer) const;
};

}  // namespace finegrain::tune
