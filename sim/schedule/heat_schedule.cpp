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

/// One transfer a neighbour. Both ends of a side are equally long, so `rank`'s own part gives every size.
/// @param transfer  all but its peer and size
void add_halo_transfers(Body& body, Post transfer, const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  for (const Side side : std::array{Side::left, Side::right, Side::up, Side::down}) {
    const auto peer = grid.neighbour(rank, side);
    if (!peer) continue;
    transfer.peer = *peer;
    transfer.size_bytes = (is_horizontal(side) ? part.rows : part.columns) * double_bytes;
    body.add(transfer);
  }
}

std::int64_t points_of(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  return part.rows * part.columns;
}

/// From the messages that are on their way to the update of all points.
void add_update(Body& body, const HeatGrid& grid, int rank, Completion completion) {
  const std::int64_t first_points = completion == Completion::overlapped ? interior_points(grid, rank) : 0;
  const std::int64_t unpacked = horizontal_values(grid, rank);
  if (completion == Completion::overlapped)
    body.add_region(regions::compute, Work{heat_compute_bytes(first_points)});
  if (completion != Completion::each) body.add_region(regions::wait, Complete::all());
  body.add_region(regions::unpack,
                  Work{.memory_bytes = halo_pack_bytes(unpacked), .scattered_stores = unpacked});
  body.add_region(regions::compute, Work{heat_compute_bytes(points_of(grid, rank) - first_points)});
}

/// Listings 7 and 8. There the left message is unpacked before the right one is fetched; here all gets come
/// first, as eq. (21) adds the times up. The rows lie in shared memory; the columns that are got do not, but
/// they are few between nodes.
Body get_body(const HeatGrid& grid, int rank, Completion completion) {
  Body body;
  body.add_region(regions::pack, Work{halo_pack_bytes(horizontal_values(grid, rank))});
  body.add_region(regions::barrier, Collective{});
  body.begin_region(regions::get);
  add_halo_transfers(
      body,
      {.kind = TransferKind::get, .blocking = completion == Completion::each, .peer = 0, .size_bytes = 0},
      grid, rank);
  add_update(body, grid, rank, completion);
  body.add_region(regions::barrier, Collective{});
  return body;
}

Body send_body(const HeatGrid& grid, int rank, Completion completion) {
  Body body;
  body.begin_region(regions::receive);
  add_halo_transfers(body, {.kind = TransferKind::receive, .peer = 0, .size_bytes = 0}, grid, rank);
  body.add_region(regions::pack, Work{halo_pack_bytes(horizontal_values(grid, rank))});
  body.begin_region(regions::send);
  add_halo_transfers(body, {.kind = TransferKind::send, .peer = 0, .size_bytes = 0}, grid, rank);
  add_update(body, grid, rank, completion);
  return body;
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
    Body body = run.transfer == Transfer::get ? get_body(grid, rank, run.completion)
                                              : send_body(grid, rank, run.completion);
    if (problem.update == HeatUpdate::copy) {
      const std::int64_t bytes = heat_copy_bytes(points_of(grid, rank));
      body.add_region(regions::copy, Work{.memory_bytes = bytes, .copied_bytes = bytes / 2});
    }
    schedule.ranks.push_back(std::move(body));
  }
  return schedule;
}

}  // namespace finegrain
