// SPDX-License-Identifier: MIT
//
// Explicit 2D heat equation: Listings 7 and 8 of Lagravière et al. 2019 and Listing 11 of the thesis' Paper
// III. Each rank gets the columns that its neighbours have packed, and rows directly from their memory. Paper
// III starts all gets and waits once; Listing 7 waits for each. Parse, allocate, time after a warm-up,
// validate.
#include "kernels/heat/halo_gets.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  const HeatOptions options =
      parse_heat_options(upcxx, "Explicit 2D heat solver with halo exchange (UPC++), checked and timed.",
                         argc, argv, {"together", "each"});
  const bool waits_for_each = options.completion == "each";

  const problem::HeatGrid grid = open_grid(upcxx, options);
  const problem::HeatPart part = grid.part(upcxx.rank());
  SharedArray<double> points(upcxx, Field::size(part));
  SharedArray<double> points_new(upcxx, Field::size(part));
  set_start_values(part, {part, points.local()});
  set_start_values(part, {part, points_new.local()});
  HaloGets halo(upcxx, grid, find_neighbours(grid, upcxx.rank()));
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::registered);
  const auto iterate = [&] {
    const Field phi(part, points.local());
    const Field phi_new(part, points_new.local());
    transfers.region(regions::pack, Work{halo.packed_bytes()}, [&] { halo.pack(phi); });
    transfers.barrier(upcxx);
    transfers.region(regions::get,
                     [&] { halo.get(transfers, points, phi, waits_for_each ? Going::blocks : Going::on); });
    if (!waits_for_each) transfers.region(regions::wait, [&] { transfers.wait(); });
    transfers.region(regions::unpack, halo.unpack_work(), [&] { halo.unpack(phi); });
    transfers.region(regions::compute, Work{step_bytes(whole(part).points())},
                     [&] { step(whole(part), phi, phi_new); });
    transfers.barrier(upcxx);
    if (options.copies()) {
      transfers.region(regions::copy, copy_work(part), [&] { copy_points(part, phi_new, phi); });
    } else {
      std::swap(points, points_new);
    }
  };
  return time_and_check(upcxx, options,
                        describe(grid, options, "heat_condensed_upcxx", Transfer::get,
                                 waits_for_each ? Completion::each : Completion::together),
                        transfers, iterate, [&](std::int64_t iterations) {
                          return check_against_sequential(upcxx, grid, iterations, {part, points.local()});
                        });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
