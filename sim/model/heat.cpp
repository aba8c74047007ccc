// SPDX-License-Identifier: MIT
#include "sim/model/heat.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "sim/model/nodes.hpp"
#include "sim/model/predict.hpp"
#include "sim/schedule/interior_points.hpp"
#include "sim/schedule/programs.hpp"

namespace finegrain {
namespace {

/// What follows the halo exchange in every rank.
double update_s(const RankPrediction& rank) {
  return rank.compute_s + rank.copy_s;
}

}  // namespace

HaloCounts count_halo(int rank, const HeatGrid& grid, const Placement& placement) {
  const HeatPart part = grid.part(rank);
  HaloCounts counts;
  for (const Side side : {Side::left, Side::right, Side::up, Side::down}) {
    const auto neighbour = grid.neighbour(rank, side);
    if (!neighbour) continue;
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

double halo_pack_s(const HaloCounts& rank, const Hardware& hardware) {
  const auto values = static_cast<double>(rank.horizontal_values);
  return memory_s(values * (sizeof_double + hardware.costs.cache_line_bytes), hardware);
}

double halo_local_s(const HaloCounts& rank, const Hardware& hardware, ClosedForm form) {
  const int passes = form == ClosedForm::as_printed ? 2 : 1;
  return memory_s(passes * static_cast<double>(rank.values_local) * sizeof_double, hardware);
}

double halo_remote_s(const HaloCounts& rank, const Hardware& hardware) {
  return remote_messages_s(rank.messages_remote, static_cast<double>(rank.values_remote) * sizeof_double,
                           hardware);
}

double published_remote_s(std::span<const HaloCounts> ranks, const Hardware& hardware) {
  std::int64_t most_values = 0;
  std::int64_t most_messages = 0;
  for (const HaloCounts& rank : ranks) {
    most_values = std::max(most_values, rank.values_remote);
    most_messages = std::max(most_messages, rank.messages_remote);
  }
  const double values = static_cast<double>(ranks.size()) * static_cast<double>(most_values);
  return remote_messages_s(most_messages, values * sizeof_double, hardware);
}

double heat_compute_s(std::int64_t points, const Hardware& hardware) {
  return memory_s(3 * static_cast<double>(points) * sizeof_double, hardware);
}

double heat_copy_s(std::int64_t points, const Hardware& hardware) {
  return memory_s(2 * static_cast<double>(points) * sizeof_double, hardware);
}

Prediction predict_heat(const Run& run, const PlatformCosts& costs, ClosedForm form,
                        const Placement* given_placement) {
  const auto& heat = std::get<HeatProblem>(run.problem);
  const HeatGrid grid(heat.rows, heat.columns, heat.mprocs, heat.nprocs);
  check_program(run);
  assert(grid.ranks() == run.ranks);
  const Placement placement =
      given_placement != nullptr ? *given_placement : Placement(run.ranks, run.ranks_per_node);
  const Hardware hardware = hardware_of(run, placement, costs);

  std::vector<HaloCounts> counts;
  Prediction result;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const HaloCounts& halo = counts.emplace_back(count_halo(rank, grid, placement));
    const double pack_s = halo_pack_s(halo, hardware);
    const HeatPart part = grid.part(rank);
    const std::int64_t points = part.rows * part.columns;
    result.ranks.push_back({.compute_s = heat_compute_s(points, hardware),
                            .pack_s = pack_s,
                            .local_s = halo_local_s(halo, hardware, form),
                            .remote_s = halo_remote_s(halo, hardware),
                            .copy_s = heat.update == HeatUpdate::copy ? heat_copy_s(points, hardware) : 0,
                            .unpack_s = pack_s});
  }
  result.nodes = parts_of_nodes(result.ranks, placement);
  for (int n = 0; n < placement.nodes(); ++n) {
    NodePrediction& node = result.nodes[static_cast<std::size_t>(n)];
    if (form == ClosedForm::as_published) {
      std::vector<HaloCounts> of_node;
      for (const int rank : placement.ranks_of(n))
        of_node.push_back(counts[static_cast<std::size_t>(rank)]);
      node.remote_s = published_remote_s(of_node, hardware);
    }
    node.time_s = node.pack_s + node.local_s + node.remote_s + node.unpack_s;  // eq. (21)
  }

  const NodePrediction& node = slowest(result.nodes);
  // The paper's parts are equal; where they are not, the largest decides.
  const auto rank = std::ranges::max_element(result.ranks, {}, update_s);
  const bool overlapped = run.completion == Completion::overlapped;
  const std::int64_t first_points =
      overlapped ? interior_points(grid, static_cast<int>(rank - result.ranks.begin())) : 0;
  const double first_compute_s = heat_compute_s(first_points, hardware);
  const PhaseKind messages = run.completion == Completion::each ? PhaseKind::get : PhaseKind::wait;
  result.total_s = node.time_s + update_s(*rank);
  result.phases.push_back({PhaseKind::pack, node.pack_s});
  if (overlapped) result.phases.push_back({PhaseKind::compute, first_compute_s});
  result.phases.push_back({messages, node.local_s + node.remote_s});
  result.phases.push_back({PhaseKind::unpack, node.unpack_s});
  result.phases.push_back({PhaseKind::compute, rank->compute_s - first_compute_s});
  if (heat.update == HeatUpdate::copy) result.phases.push_back({PhaseKind::copy, rank->copy_s});
  return result;
}

}  // namespace finegrain
