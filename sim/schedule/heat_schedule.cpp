// SPDX-License-Identifier: MIT
#include <array>
#include <cassert>
#include <utility>

#include "sim/schedule/interior_points.hpp"
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/programs.hpp"

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

std::int64_t points_of(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  return part.rows * part.columns;
}

/// From the messages that are on their way to the update of all points.
void add_update(Iteration& iteration, const HeatGrid& grid, int rank, Completion completion) {
  const std::int64_t first_points = completion == Completion::overlapped ? interior_points(grid, rank) : 0;
  if (completion == Completion::overlapped)
    iteration.begin_phase(PhaseKind::compute, heat_compute_bytes(first_points));
  if (completion != Completion::each) iteration.begin_phase(PhaseKind::wait);
  iteration.begin_phase(PhaseKind::unpack, halo_pack_bytes(horizontal_values(grid, rank)));
  iteration.begin_phase(PhaseKind::compute, heat_compute_bytes(points_of(grid, rank) - first_points));
}

/// Listings 7 and 8. There the left message is unpacked before the right one is fetched; here all gets come
/// first, as eq. (21) adds the times up.
Iteration get_iteration(const HeatGrid& grid, int rank, Completion completion) {
  Iteration iteration;
  iteration.begin_phase(PhaseKind::pack, halo_pack_bytes(horizontal_values(grid, rank)));
  iteration.begin_phase(PhaseKind::barrier);
  iteration.begin_phase(PhaseKind::get);
  add_halo_messages(iteration, MessageKind::get, grid, rank);
  add_update(iteration, grid, rank, completion);
  iteration.begin_phase(PhaseKind::barrier);
  return iteration;
}

Iteration send_iteration(const HeatGrid& grid, int rank, Completion completion) {
  Iteration iteration;
  iteration.begin_phase(PhaseKind::receive);
  add_halo_messages(iteration, MessageKind::receive, grid, rank);
  iteration.begin_phase(PhaseKind::pack, halo_pack_bytes(horizontal_values(grid, rank)));
  iteration.begin_phase(PhaseKind::send);
  add_halo_messages(iteration, MessageKind::send, grid, rank);
  add_update(iteration, grid, rank, completion);
  return iteration;
}

}  // namespace

Schedule heat_schedule(const Run& run) {
  const auto& problem = std::get<HeatProblem>(run.problem);
  check_program(run);
  const HeatGrid grid(problem.rows, problem.columns, problem.mprocs, problem.nprocs);
  assert(grid.ranks() == run.ranks);
  Schedule schedule{run, {}};
  schedule.ranks.reserve(static_cast<std::size_t>(run.ranks));
  for (int rank = 0; rank < run.ranks; ++rank) {
    Iteration iteration = run.transfer == Transfer::get ? get_iteration(grid, rank, run.completion)
                                                        : send_iteration(grid, rank, run.completion);
    if (problem.update == HeatUpdate::copy)
      iteration.begin_phase(PhaseKind::copy, heat_copy_bytes(points_of(grid, rank)));
    schedule.ranks.push_back(std::move(iteration));
  }
  return schedule;
}

}  // namespace finegrain
