// SPDX-License-Identifier: MIT
#include "kernels/run/together.hpp"

#include <array>

#include "traces/io/printable.hpp"

namespace finegrain::kernels {

void leave_if_any(const Session& session, const std::optional<std::string>& problem) {
  // The lowest rank with a problem gives the highest number, which maximize() finds.
  std::array<double, 1> highest = {problem ? session.ranks() - session.rank() : 0.0};
  session.maximize(highest);
  if (highest[0] == 0.0) return;
  if (session.ranks() - session.rank() == highest[0]) complain(*problem);
  // The launcher ends the job when the first rank leaves with an error; the line must be out by then.
  session.barrier();
  throw KernelExit{1};
}

}  // namespace finegrain::kernels
