// SPDX-License-Identifier: MIT
#include "sim/model/predict.hpp"

#include <cassert>

#include "sim/model/block.hpp"
#include "sim/model/condensed.hpp"
#include "sim/model/individual.hpp"
#include "sim/schedule/programs.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {

bool has_closed_form(const Run& run) {
  return run.policy != Policy::naive;
}

Prediction predict(const Run& run, std::span<const RankCounts> counts, const PlatformCosts& costs,
                   ClosedForm form, const Placement* given_placement) {
  assert(counts.size() == static_cast<std::size_t>(run.ranks));
  check_program(run);
  if (!has_closed_form(run)) {
    throw InputError(
        "policy: naive has no closed form (what it costs is instructions, not bytes). Simulate it, or "
        "predict "
        "another policy");
  }
  const Placement placement =
      given_placement != nullptr ? *given_placement : Placement(run.ranks, run.ranks_per_node);
  const SpmvCase spmv{.problem = std::get<SpmvProblem>(run.problem),
                      .transfer = run.transfer,
                      .completion = run.completion,
                      .placement = placement,
                      .counts = counts,
                      .hardware = hardware_of(run, placement, costs),
                      .form = form};
  switch (run.policy) {
    case Policy::naive:
      break;
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

std::optional<Prediction> predict_run(const Run& run, std::span<const RankCounts> counts,
                                      const PlatformCosts& costs, ClosedForm form,
                                      const Placement* placement) {
  if (!has_closed_form(run)) return std::nullopt;
  return std::holds_alternative<SpmvProblem>(run.problem) ? predict(run, counts, costs, form, placement)
                                                          : predict_heat(run, costs, form, placement);
}

}  // namespace finegrain
