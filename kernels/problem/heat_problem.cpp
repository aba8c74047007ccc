// SPDX-License-Identifier: MIT
#include "kernels/problem/heat_problem.hpp"

#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {

std::string_view to_string(HeatUpdate update) {
  return update == HeatUpdate::swap ? "swap" : "copy";
}

HeatProblem::operator Problem() const {
  return {"heat",
          {{"rows", rows},
           {"columns", columns},
           {"mprocs", std::int64_t{mprocs}},
           {"nprocs", std::int64_t{nprocs}},
           {"update", std::string(to_string(update))}}};
}

HeatProblem HeatProblem::of(const Problem& problem) {
  constexpr int most = std::numeric_limits<int>::max();
  const std::string& update = text_of(problem, "update");
  if (update != "swap" && update != "copy")
    throw InputError("problem", "update is neither swap nor copy", "Record the trace again");
  return {number_of(problem, "rows", 1), number_of(problem, "columns", 1),
          static_cast<int>(number_of(problem, "mprocs", 1, most)),
          static_cast<int>(number_of(problem, "nprocs", 1, most)),
          update == "copy" ? HeatUpdate::copy : HeatUpdate::swap};
}

}  // namespace finegrain::problem
