// SPDX-License-Identifier: MIT
#include "sim/model/predict.hpp"

#include <fmt/format.h>

#include <cassert>

#include "sim/model/block.hpp"
#include "sim/model/condensed.hpp"
#include "sim/model/individual.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {

Prediction predict(const Run& run, std::span<const RankCounts> counts, const PlatformCosts& costs,
                   ClosedForm form) {
  assert(counts.size() == static_cast<std::size_t>(run.ranks));
  if (run.sides == Sides::two_sided && run.policy != Policy::condensed) {
    throw InputError(
        fmt::format("policy {}: no two-sided form (its ranks read each other's memory). Use --sides one",
                    to_string(run.policy)));
  }
  const SpmvCase spmv{.problem = std::get<SpmvProblem>(run.problem),
                      .sides = run.sides,
                      .placement = Placement(run.ranks, run.ranks_per_node),
                      .counts = counts,
                      .hardware = hardware_of(run, costs),
                      .form = form};
  switch (run.policy) {
    case Policy::individual:
      return predict_individual(spmv);
    case Policy::block:
      return predict_block(spmv);
    case Policy::condensed:
      return predict_condensed(spmv);
  }
  assert(false);
  return {};
}

}  // namespace finegrain
