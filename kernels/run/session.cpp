// SPDX-License-Identifier: MIT
#include "kernels/run/session.hpp"

#include <fmt/core.h>

#include <exception>

#include "traces/io/printable.hpp"

namespace finegrain::kernels {

int run_kernel(const Session& session, const std::function<int()>& kernel) {
  try {
    return kernel();
  } catch (const KernelExit& exit) {
    return exit.code;
  } catch (const std::exception& error) {
    complain(fmt::format("rank {}: {}", session.rank(), error.what()));
    session.abort();
    return 1;
  }
}

}  // namespace finegrain::kernels
