// SPDX-License-Identifier: MIT
#include "kernels/run/session.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>

namespace finegrain {

int run_program(const Session& session, const std::function<int()>& program) {
  try {
    return program();
  } catch (const ProgramExit& exit) {
    return exit.code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", session.rank(), error.what());
    std::fflush(stderr);
    session.abort();
    return 1;
  }
}

}  // namespace finegrain
