// SPDX-License-Identifier: MIT
#include "traces/run.hpp"

#include <fmt/format.h>

namespace finegrain {

std::string_view to_string(Policy policy) {
  switch (policy) {
    case Policy::individual:
      return "individual";
    case Policy::block:
      return "block";
    case Policy::condensed:
      return "condensed";
  }
  return "unknown";
}

std::string_view to_string(Sides sides) {
  return sides == Sides::one_sided ? "one-sided" : "two-sided";
}

std::string describe(const Run& run) {
  const char* kernel = std::holds_alternative<SpmvProblem>(run.problem) ? "spmv" : "heat";
  return fmt::format("{} {} {}", kernel, to_string(run.policy), to_string(run.sides));
}

}  // namespace finegrain
