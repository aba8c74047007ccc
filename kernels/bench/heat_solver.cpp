// SPDX-License-Identifier: MIT
#include "kernels/bench/heat_solver.hpp"

#include "kernels/run/together.hpp"

namespace finegrain::kernels {

HeatSolver::HeatSolver(const MpiSession& mpi, const problem::HeatGrid& grid)
    : part_(grid.part(mpi.rank())),
      points_(together(mpi, [&] { return machine::allocate<double>(Field::size(part_)); })),
      other_points_(together(mpi, [&] { return machine::allocate<double>(Field::size(part_)); })),
      phi_(part_, points_.get()),
      phi_new_(part_, other_points_.get()),
      halo_(part_, find_neighbours(grid, mpi.rank())),
      messages_(mpi.comm()) {
  set_start_values(part_, phi_);
  set_start_values(part_, phi_new_);
}

void HeatSolver::iterate() {
  halo_.receive(messages_, phi_);
  halo_.pack(phi_);
  halo_.send(messages_, phi_);
  messages_.wait();
  halo_.unpack(phi_);
  step(whole(part_), phi_, phi_new_);
  std::swap(phi_, phi_new_);
}

}  // namespace finegrain::kernels
