// SPDX-License-Identifier: MIT
//
// Explicit 2D heat equation: Listings 7 and 8 of Lagravière et al. 2019, with MPI's two-sided messages in
// place of upc_memget and barriers, and OpenMP threads within a rank. Parse, allocate, time after a warm-up,
// validate.
#include "kernels/heat/halo_messages.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/machine/array.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/together.hpp"

namespace finegrain::kernels {
namespace {

int run(const MpiSession& mpi, int argc, char** argv) {
  const HeatOptions options = parse_heat_options(
      mpi, "Explicit 2D heat solver with halo exchange (MPI + OpenMP), checked and timed.", argc, argv);

  const problem::HeatGrid grid = open_grid(mpi, options);
  const problem::HeatPart part = grid.part(mpi.rank());
  const auto points = together(mpi, [&] { return machine::allocate<double>(Field::size(part)); });
  const auto other_points = together(mpi, [&] { return machine::allocate<double>(Field::size(part)); });
  Field phi(part, points.get());
  Field phi_new(part, other_points.get());
  set_start_values(part, phi);
  set_start_values(part, phi_new);
  HaloMessages halo(part, find_neighbours(grid, mpi.rank()));

  RecordedMessages messages(mpi.comm());
  const auto iterate = [&] {
    messages.region(regions::receive, [&] { halo.receive(messages, phi); });
    messages.region(regions::pack, Work{halo.packed_bytes()}, [&] { halo.pack(phi); });
    messages.region(regions::send, [&] { halo.send(messages, phi); });
    messages.region(regions::wait, [&] { messages.wait(); });
    messages.region(regions::unpack, halo.unpack_work(), [&] { halo.unpack(phi); });
    messages.region(regions::compute, Work{step_bytes(whole(part).points())},
                    [&] { step(whole(part), phi, phi_new); });
    if (options.copies()) {
      messages.region(regions::copy, copy_work(part), [&] { copy_points(part, phi_new, phi); });
    } else {
      std::swap(phi, phi_new);
    }
  };
  return time_and_check(
      mpi, options, describe(grid, options, "heat_condensed_mpi", Transfer::two_sided, Completion::together),
      messages, iterate,
      [&](std::int64_t iterations) { return check_against_sequential(mpi, grid, iterations, phi); });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
