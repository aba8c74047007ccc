// SPDX-License-Identifier: MIT
#include "sim/tune/objective.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/problem/placement.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::tune {

Objective parse_objective(std::string_view text, std::string_view where) {
  if (text == "time") return Objective::time;
  if (text == "energy") return Objective::energy;
  if (text == "edp") return Objective::energy_delay;
  if (text == "node-hours") return Objective::node_hours;
  throw InputError(where, fmt::format("'{}' is no objective", text), "Give time, energy, edp or node-hours");
}

std::string_view unit_of(Objective objective) {
  switch (objective) {
    case Objective::time:
      return "s";
    case Objective::energy:
      return "J";
    case Objective::energy_delay:
      return "J s";
    case Objective::node_hours:
      return "node-hours";
  }
  return "";
}

bool needs_energy(Objective objective) {
  return objective == Objective::energy || objective == Objective::energy_delay;
}

std::int64_t nodes_of(const Run& run) {
  return problem::Placement(run.ranks, run.ranks_per_node).nodes();
}

std::optional<double> Judge::value(const Run& run, const study::Answer& answer) const {
  constexpr double seconds_per_hour = 3600;
  if (!answer.total_s) return std::nullopt;
  const double joules = answer.quantity("energy_j").value_or(busy_w * *answer.total_s);
  switch (objective) {
    case Objective::time:
      break;
    case Objective::energy:
      return joules;
    case Objective::energy_delay:
      return joules * *answer.total_s;
    case Objective::node_hours:
      return static_cast<double>(nodes_of(run)) * *answer.total_s / seconds_per_hour;
  }
  return answer.total_s;
}

std::optional<double> Judge::cost(const Run& run, const study::Answer& answer) const {
  const std::optional<double> of_run = value(run, answer);
  return of_run && objective == Objective::energy_delay ? std::optional(std::sqrt(*of_run)) : of_run;
}

}  // namespace finegrain::tune
