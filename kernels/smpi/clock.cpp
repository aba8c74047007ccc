// SPDX-License-Identifier: MIT
//
// The clock of simulated ranks, in place of kernels/run/clock.cpp.
#include "kernels/run/clock.hpp"

#include <cmath>
#include <simgrid/s4u.hpp>

#include "kernels/smpi/node_costs.hpp"

namespace finegrain::kernels {

std::int64_t clock_ns() {
  return std::llround(simgrid::s4u::Engine::get_clock() * 1e9);
}

void advance_clock_by_work(std::int64_t memory_bytes) {
  move_over_memory(static_cast<double>(memory_bytes));
}

}  // namespace finegrain::kernels
