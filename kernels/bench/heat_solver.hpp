// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/bench/traffic.hpp"
#include "kernels/heat/halo_messages.hpp"
#include "kernels/machine/array.hpp"
#include "kernels/mpi/mpi_session.hpp"

namespace finegrain::kernels {

/// The iteration of heat_condensed_mpi.cpp, which calls the same functions. Here iterations can be started
/// one at a time.
class HeatSolver {
 public:
  /// Collective. @throws KernelExit{1} on every rank where memory does not suffice
  HeatSolver(const MpiSession& mpi, const problem::HeatGrid& grid);

  /// Exchanges the halo and computes a step, whose points take the place of the old ones.
  void iterate();

  const Field& phi() const { return phi_; }
  Traffic traffic() const { return heat_traffic(whole(part_).points(), halo_.packed_bytes()); }

 private:
  problem::HeatPart part_;
  machine::Array<double> points_;
  machine::Array<double> other_points_;
  Field phi_;
  Field phi_new_;
  HaloMessages halo_;
  RecordedMessages messages_;
};

}  // namespace finegrain::kernels
