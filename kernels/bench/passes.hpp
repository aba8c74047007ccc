// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/bench/traffic.hpp"
#include "kernels/mpi/mpi_session.hpp"

namespace finegrain::kernels {

/// Something that is timed once a round.
struct Pass {
  std::string name;
  std::function<void()> work;
  std::function<bool()> is_right;  ///< collective: whether the first call of work() did what it should
  Traffic traffic;                 ///< this rank's; that of all ranks after time_in_rounds()
  std::vector<double> seconds;     ///< the slowest rank's, shape [rounds]
};

struct Passes {
  Pass read;
  Pass copy;
  std::vector<Pass> kernels;    ///< ours; the last one is the product alone
  std::vector<Pass> libraries;  ///< the product by others, whose traffic is not known
};

/// Collective: does every pass once and checks it, then times all of them, one after the other, in each
/// round.
/// @throws KernelExit{1} on every rank if a result is wrong
void time_in_rounds(const MpiSession& mpi, Passes& passes, int rounds, bool shows_progress);

/// In each round, the time of the bound divided by the kernel's. Shape [rounds]
std::vector<double> fractions_of_bound(const Passes& passes, const Pass& kernel);

/// In each round, a library's time divided by that of our product. Shape [rounds]
std::vector<double> times_of_product(const Passes& passes, const Pass& library);

}  // namespace finegrain::kernels
