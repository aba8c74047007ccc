// SPDX-License-Identifier: MIT
#include "sim/pattern/heat_formula.hpp"

#include <cassert>

#include "kernels/problem/heat_problem.hpp"
#include "sim/pattern/interior_points.hpp"

namespace finegrain {
namespace {

HeatGrid grid_of(const Run& run) {
  const HeatProblem heat = HeatProblem::of(run.problem);
  return {heat.rows, heat.columns, heat.mprocs, heat.nprocs};
}

/// What heat's terms count in, of one rank.
struct HeatCounts {
  HaloCounts halo;
  std::int64_t points = 0;
  std::int64_t interior_points = 0;
};

Formula formula_of_counts(const Run& run, ClosedForm form, std::span<const HeatCounts> ranks) {
  const bool printed = form == ClosedForm::as_printed;
  const bool overlapped = run.completion == Completion::overlapped;
  const bool copies = HeatProblem::of(run.problem).update == HeatUpdate::copy;
  const auto of_ranks = [&](const auto& count) {
    std::vector<double> counts;
    for (const HeatCounts& rank : ranks)
      counts.push_back(static_cast<double>(count(rank)));
    return counts;
  };

  Formula formula{.total_equation = "(21) + (22)", .phases = {regions::pack}, .terms = {}};
  if (overlapped) formula.phases.push_back(regions::compute);
  const std::size_t messages = formula.phases.size();
  formula.phases.push_back(run.completion == Completion::each ? regions::get : regions::wait);
  formula.phases.push_back(regions::unpack);
  formula.phases.push_back(regions::compute);
  if (copies) formula.phases.push_back(regions::copy);

  const FormulaTerm pack{.part = "pack",
                         .equation = "(19)",
                         .symbol = "(S_local,horiz + S_remote,horiz)",
                         .counted = "values packed",
                         .each = "(sizeof(double) + sizeof(cache line))",
                         .bytes_each = sizeof_double,
                         .cache_lines_each = 1,
                         .gathering = Gathering::most_of_node,
                         .counts = of_ranks([](const auto& rank) { return rank.halo.horizontal_values; })};
  FormulaTerm unpack = pack;
  unpack.part = "unpack";
  unpack.counted = "values unpacked";
  unpack.phase = messages + 1;
  FormulaTerm compute{.part = "compute",
                      .equation = "(22)",
                      .symbol = "(m-2)(n-2)",
                      .counted = "points updated",
                      .each = "3 sizeof(double)",
                      .bytes_each = 3 * sizeof_double,
                      .phase = messages + 2,
                      .counts = of_ranks([](const auto& rank) { return rank.points; })};
  if (overlapped) {
    compute.early_counts = of_ranks([](const auto& rank) { return rank.interior_points; });
    compute.early_phase = 1;
  }
  formula.terms = {pack,
                   {.part = "local",
                    .equation = "(20)",
                    .symbol = "S_local",
                    .counted = "values from the node",
                    .each = printed ? "2 sizeof(double)" : "sizeof(double)",
                    .bytes_each = (printed ? 2 : 1) * sizeof_double,
                    .gathering = Gathering::most_of_node,
                    .phase = messages,
                    .counts = of_ranks([](const auto& rank) { return rank.halo.values_local; })},
                   {.part = "remote",
                    .equation = "(20)",
                    .symbol = "C_remote",
                    .counted = "messages from other nodes",
                    .cost = Cost::tau,
                    .gathering = printed ? Gathering::sum_of_node : Gathering::most_of_node,
                    .phase = messages,
                    .counts = of_ranks([](const auto& rank) { return rank.halo.messages_remote; })},
                   {.part = "remote",
                    .equation = "(20)",
                    .symbol = "S_remote",
                    .counted = "values from other nodes",
                    .each = "sizeof(double)",
                    .bytes_each = sizeof_double,
                    .cost = Cost::remote_bytes,
                    .gathering = printed ? Gathering::sum_of_node : Gathering::ranks_times_most_of_node,
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
                             .bytes_each = 2 * sizeof_double,
                             .phase = messages + 3,
                             .counts = of_ranks([](const auto& rank) { return rank.points; })});
  }
  return formula;
}

}  // namespace

HaloCounts count_halo(int rank, const HeatGrid& grid, const Placement& placement,
                      std::optional<int> only_of) {
  const HeatPart part = grid.part(rank);
  HaloCounts counts;
  for (const Side side : {Side::left, Side::right, Side::up, Side::down}) {
    const auto neighbour = grid.neighbour(rank, side);
    if (!neighbour || (only_of && neighbour != only_of)) continue;
    const bool horizontal = side == Side::left || side == Side::right;
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

Formula heat_formula(const Run& run, ClosedForm form, const Placement& placement) {
  const HeatGrid grid = grid_of(run);
  assert(grid.ranks() == run.ranks);
  std::vector<HeatCounts> counts;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const HeatPart part = grid.part(rank);
    counts.push_back({count_halo(rank, grid, placement), part.rows * part.columns,
                      run.completion == Completion::overlapped ? interior_points(grid, rank) : 0});
  }
  return formula_of_counts(run, form, counts);
}

Formula heat_formula_between(const Run& run, ClosedForm form, const Placement& placement, int rank,
                             int peer) {
  const HeatCounts between{.halo = count_halo(rank, grid_of(run), placement, peer)};
  return formula_of_counts(run, form, {&between, 1});
}

}  // namespace finegrain
