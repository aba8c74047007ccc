// SPDX-License-Identifier: MIT
//
// Explicit 2D heat equation in UPC++. While its halo is fetched, the rank computes the points that do not
// need it. Parse, allocate, time after a warm-up, validate.
#include "kernels/heat/halo_gets.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const HeatOptions options = parse_heat_options(
      upcxx, "Explicit 2D heat solver that gets its halo during computation (UPC++), checked and timed.",
      argc, argv);

  const problem::HeatGrid grid = open_grid(upcxx, options);
  const problem::HeatPart part = grid.part(upcxx.rank());
  SharedArray<double> points(upcxx, Field::size(part));
  SharedArray<double> points_new(upcxx, Field::size(part));
  set_start_values(part, {part, points.local()});
  set_start_values(part, {part, points_new.local()});
  const std::vector<Neighbour> neighbours = find_neighbours(grid, upcxx.rank());
  const SplitPoints split = split_points(part, neighbours);
  HaloGets halo(upcxx, grid, neighbours);
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::registered);
  const auto iterate = [&] {
    const Field phi(part, points.local());
    const Field phi_new(part, points_new.local());
    transfers.region(regions::pack, Work{halo.packed_bytes()}, [&] { halo.pack(phi); });
    transfers.barrier(upcxx);
    transfers.region(regions::get, [&] { halo.get(transfers, points, phi, Going::on); });
    transfers.region(regions::compute, Work{step_bytes(split.interior.points())},
                     [&] { step(split.interior, phi, phi_new); });
    transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.region(regions::unpack, halo.unpack_work(), [&] { halo.unpack(phi); });
    transfers.region(regions::compute, Work{step_bytes(split.boundary_points())}, [&] {
      for (const PointRange& region : split.boundary)
        step(region, phi, phi_new);
    });
    transfers.barrier(upcxx);
    if (options.copies()) {
      transfers.region(regions::copy, copy_work(part), [&] { copy_points(part, phi_new, phi); });
    } else {
      std::swap(points, points_new);
    }
  };
  return time_and_check(
      upcxx, options, describe(grid, options, "heat_overlapped_upcxx", Transfer::get, Completion::overlapped),
      transfers, iterate, [&](std::int64_t iterations) {
        return check_against_sequential(upcxx, grid, iterations, {part, points.local()});
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
