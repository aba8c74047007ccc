// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <cassert>

#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/policies.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

bool is_horizontal(Side side) {
  return side == Side::left || side == Side::right;
}

/// Values that a rank exchanges across its left and right sides, in one direction: those that are packed.
std::int64_t horizontal_values(const HeatGrid& grid, int rank) {
  const std::int64_t sides =
      (grid.neighbour(rank, Side::left) ? 1 : 0) + (grid.neighbour(rank, Side::right) ? 1 : 0);
  return sides * grid.part(rank).rows;
}

/// One message a neighbour. Both ends of a side are equally long, so `rank`'s own part gives every size.
void add_halo_messages(Iteration& iteration, MessageKind kind, const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  for (const Side side : std::array{Side::left, Side::right, Side::up, Side::down}) {
    if (const auto peer = grid.neighbour(rank, side))
      iteration.add({kind, *peer, (is_horizontal(side) ? part.rows : part.columns) * double_bytes});
  }
}

/// Listings 7 and 8. There the left message is unpacked before the right one is fetched; here all gets come
/// first, as eq. (21) adds the times up.
Iteration get_iteration(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  const std::int64_t packed_bytes = halo_pack_bytes(horizontal_values(grid, rank));
  Iteration iteration;
  iteration.begin_phase(PhaseKind::pack, packed_bytes);
  iteration.begin_phase(PhaseKind::barrier);
  iteration.begin_phase(PhaseKind::get);
  add_halo_messages(iteration, MessageKind::get, grid, rank);
  iteration.begin_phase(PhaseKind::unpack, packed_bytes);
  iteration.begin_phase(PhaseKind::compute, heat_compute_bytes(part.rows, part.columns));
  iteration.begin_phase(PhaseKind::barrier);
  return iteration;
}

Iteration send_iteration(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  const std::int64_t packed_bytes = halo_pack_bytes(horizontal_values(grid, rank));
  Iteration iteration;
  iteration.begin_phase(PhaseKind::receive);
  add_halo_messages(iteration, MessageKind::receive, grid, rank);
  iteration.begin_phase(PhaseKind::pack, packed_bytes);
  iteration.begin_phase(PhaseKind::send);
  add_halo_messages(iteration, MessageKind::send, grid, rank);
  iteration.begin_phase(PhaseKind::wait);
  iteration.begin_phase(PhaseKind::unpack, packed_bytes);
  iteration.begin_phase(PhaseKind::compute, heat_compute_bytes(part.rows, part.columns));
  return iteration;
}

}  // namespace

Schedule heat_schedule(const Run& run) {
  const auto& problem = std::get<HeatProblem>(run.problem);
  if (run.policy != Policy::condensed) {
    throw InputError(
        fmt::format("policy: {} is not one of the heat solver's (it sends one message a side). Use condensed",
                    to_string(run.policy)));
  }
  const HeatGrid grid(problem.rows, problem.columns, problem.mprocs, problem.nprocs);
  assert(grid.ranks() == run.ranks);
  Schedule schedule{run, {}};
  schedule.ranks.reserve(static_cast<std::size_t>(run.ranks));
  for (int rank = 0; rank < run.ranks; ++rank) {
    schedule.ranks.push_back(run.sides == Sides::one_sided ? get_iteration(grid, rank)
                                                           : send_iteration(grid, rank));
  }
  return schedule;
}

}  // namespace finegrain
