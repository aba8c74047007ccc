// SPDX-License-Identifier: MIT
//
// Explicit 2D heat equation in MPI + OpenMP. While the halo's messages are on their way, the rank computes
// the points that do not need them. Parse, allocate, time after a warm-up, validate.
#include "kernels/heat/halo_messages.hpp"
#include "kernels/heat/heat_input.hpp"
#include "kernels/machine/array.hpp"
#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/together.hpp"

namespace finegrain::kernels {
namespace {

int run(const MpiSession& mpi, int argc, char** argv) {
  const HeatOptions options = parse_heat_options(mpi,
                                                 "Explicit 2D heat solver whose halo messages are on their "
                                                 "way while it computes (MPI + OpenMP), checked and\n"
                                                 "timed.",
                                                 argc, argv);

  const problem::HeatGrid grid = open_grid(mpi, options);
  const problem::HeatPart part = grid.part(mpi.rank());
  const auto points = together(mpi, [&] { return machine::allocate<double>(Field::size(part)); });
  const auto other_points = together(mpi, [&] { return machine::allocate<double>(Field::size(part)); });
  Field phi(part, points.get());
  Field phi_new(part, other_points.get());
  set_start_values(part, phi);
  set_start_values(part, phi_new);
  const std::vector<Neighbour> neighbours = find_neighbours(grid, mpi.rank());
  const SplitPoints split = split_points(part, neighbours);
  HaloMessages halo(part, neighbours);

  RecordedMessages messages(mpi.comm());
  const auto iterate = [&] {
    messages.region(regions::receive, [&] { halo.receive(messages, phi); });
    messages.region(regions::pack, Work{halo.packed_bytes()}, [&] { halo.pack(phi); });
    messages.region(regions::send, [&] { halo.send(messages, phi); });
    messages.region(regions::compute, Work{step_bytes(split.interior.points())},
                    [&] { step(split.interior, phi, phi_new); });
    messages.region(regions::wait, [&] { messages.wait(); });
    messages.region(regions::unpack, halo.unpack_work(), [&] { halo.unpack(phi); });
    messages.region(regions::compute, Work{step_bytes(split.boundary_points())}, [&] {
      for (const PointRange& region : split.boundary)
        step(region, phi, phi_new);
    });
    if (options.copies()) {
      messages.region(regions::copy, copy_work(part), [&] { copy_points(part, phi_new, phi); });
    } else {
      std::swap(phi, phi_new);
    }
  };
  return time_and_check(
      mpi, options,
      describe(grid, options, "heat_overlapped_mpi", Transfer::two_sided, Completion::overlapped), messages,
      iterate, [&](std::int64_t iterations) { return check_against_sequential(mpi, grid, iterations, phi); });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
