// SPDX-License-Identifier: MIT
#include "sim/pattern/heat_formula.hpp"

#include <cassert>

#include "kernels/problem/heat_problem.hpp"
#include "sim/model/terms.hpp"
#include "sim/pattern/interior_points.hpp"

namespace finegrain::pattern {

problem::HeatGrid grid_of(const Problem& problem) {
  const problem::HeatProblem heat = problem::HeatProblem::of(problem);
  return {heat.rows, heat.columns, heat.mprocs, heat.nprocs};
}

namespace {

/// What the terms of heat count, for one rank.
struct HeatCounts {
  HaloCounts halo;
  std::int64_t points = 0;
  std::int64_t interior_points = 0;
};

model::Formula formula_of_counts(const Run& run, model::ClosedForm form, std::span<const HeatCounts> ranks) {
  const bool printed = form == model::ClosedForm::as_printed;
  const bool overlapped = run.completion == Completion::overlapped;
  const bool copies = problem::HeatProblem::of(run.problem).update == problem::HeatUpdate::copy;
  const auto of_ranks = [&](const auto& count) { return model::counts_of(ranks, count); };

  model::Formula formula{.total_equation = "(21) + (22)", .phases = {regions::pack}, .terms = {}};
  if (overlapped) formula.phases.push_back(regions::compute);
  const std::size_t messages = formula.phases.size();
  formula.phases.push_back(run.completion == Completion::each ? regions::get : regions::wait);
  formula.phases.push_back(regions::unpack);
  formula.phases.push_back(regions::compute);
  if (copies) formula.phases.push_back(regions::copy);

  const model::FormulaTerm pack{
      .part = "pack",
      .equation = "(19)",
      .symbol = "(S_local,horiz + S_remote,horiz)",
      .counted = "values packed",
      .each = "(sizeof(double) + sizeof(cache line))",
      .bytes_each = model::sizeof_double,
      .cache_lines_each = 1,
      .gathering = model::Gathering::most_of_node,
      .counts = of_ranks([](const auto& rank) { return rank.halo.horizontal_values; })};
  model::FormulaTerm unpack = pack;
  unpack.part = "unpack";
  unpack.counted = "values unpacked";
  unpack.phase = messages + 1;
  model::FormulaTerm compute{.part = "compute",
                             .equation = "(22)",
                             .symbol = "(m-2)(n-2)",
                             .counted = "points updated",
                             .each = "3 sizeof(double)",
                             .bytes_each = 3 * model::sizeof_double,
                             .phase = messages + 2,
                             .counts = of_ranks([](const auto& rank) { return rank.points; })};
  if (overlapped) {
    compute.early_counts = of_ranks([](const auto& rank) { return rank.interior_points; });
    compute.early_phase = 1;
  }
  formula.terms = {
      pack,
      {.part = "local",
       .equation = "(20)",
       .symbol = "S_local",
       .counted = "values from the node",
       .each = printed ? "2 sizeof(double)" : "sizeof(double)",
       .bytes_each = (printed ? 2 : 1) * model::sizeof_double,
       .gathering = model::Gathering::most_of_node,
       .phase = messages,
       .counts = of_ranks([](const auto& rank) { return rank.halo.values_local; })},
      {.part = "remote",
       .equation = "(20)",
       .symbol = "C_remote",
       .counted = "messages from other nodes",
       .cost = model::Cost::tau,
       .gathering = printed ? model::Gathering::sum_of_node : model::Gathering::most_of_node,
       .phase = messages,
       .counts = of_ranks([](const auto& rank) { return rank.halo.messages_remote; })},
      {.part = "remote",
       .equation = "(20)",
       .symbol = "S_remote",
       .counted = "values from other nodes",
       .each = "sizeof(double)",
       .bytes_each = model::sizeof_double,
       .cost = model::Cost::remote_bytes,
       .gathering = printed ? model::Gathering::sum_of_node : model::Gathering::ranks_times_most_of_node,
       .phase = messages,
       .counts = of_ranks([](const auto& rank) { return rank.halo.values_remote; })},
      std::move(unpack),
      std::move(compute)};
  if (copies) {
    formula.terms.push_back({.part = "copy",
                             .equation = "Listing 8",
                             .symbol = "(m-2)(n-2)",
                             .counted = "points copied",
                             .each = "2 sizeof(double)",
                             .bytes_each = 2 * model::sizeof_double,
                             .phase = messages + 3,
                             .counts = of_ranks([](const auto& rank) { return rank.points; })});
  }
  return formula;
}

}  // namespace

HaloCounts count_halo(int rank, const problem::HeatGrid& grid, const problem::Placement& placement,
                      std::optional<int> only_of) {
  const problem::HeatPart part = grid.part(rank);
  HaloCounts counts;
  for (const problem::Side side :
       {problem::Side::left, problem::Side::right, problem::Side::up, problem::Side::down}) {
    const auto neighbour = grid.neighbour(rank, side);
    if (!neighbour || (only_of && neighbour != only_of)) continue;
    const bool horizontal = side == problem::Side::left || side == problem::Side::right;
    const std::int64_t values = horizontal ? part.rows : part.columns;
    if (horizontal) counts.horizontal_values += values;
    if (placement.same_node(rank, *neighbour)) {
      counts.values_local += values;
    } else {
      counts.values_remote += values;
      ++counts.messages_remote;
    }
  }
  return counts;
}

model::Formula heat_formula(const Run& run, model::ClosedForm form, const problem::Placement& placement) {
  const problem::HeatGrid grid = grid_of(run.problem);
  assert(grid.ranks() == run.ranks);
  std::vector<HeatCounts> counts;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const problem::HeatPart part = grid.part(rank);
    counts.push_back({count_halo(rank, grid, placement), part.rows * part.columns,
                      run.completion == Completion::overlapped ? interior_points(grid, rank) : 0});
  }
  return formula_of_counts(run, form, counts);
}

model::Formula heat_formula_between(const Run& run, model::ClosedForm form,
                                    const problem::Placement& placement, int rank, int peer) {
  const HeatCounts between{.halo = count_halo(rank, grid_of(run.problem), placement, peer)};
  return formula_of_counts(run, form, {&between, 1});
}

}  // namespace finegrain::pattern
