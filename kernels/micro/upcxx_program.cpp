// SPDX-License-Identifier: MIT
#include "kernels/micro/upcxx_program.hpp"

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <new>
#include <sstream>

#include "kernels/machine/cpus.hpp"

namespace finegrain {

int run_upcxx_program(int argc, char** argv, CLI::App& app, const std::function<int()>& program) {
  upcxx::init();
  int code = 0;
  try {
    app.parse(argc, argv);
    code = program();
  } catch (const CLI::ParseError& error) {
    std::ostringstream silent;
    const int exit = upcxx::rank_me() == 0 ? app.exit(error) : app.exit(error, silent, silent);
    std::cout.flush();
    code = exit == 0 ? 0 : 2;
  } catch (const std::bad_alloc& error) {
    // Every rank asks for as much, so all are here.
    if (upcxx::rank_me() == 0) fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    code = 1;
  }
  upcxx::finalize();
  return code;
}

std::string pinning_of_ranks() {
  std::array<char, 128> mine{};
  format_cpus(allowed_cpus()).copy(mine.data(), mine.size() - 1);
  std::string listed;
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    const std::array<char, 128> cpus = upcxx::broadcast(mine, rank).wait();
    listed += fmt::format("{}{}: {}", rank == 0 ? "" : "; ", rank, cpus.data());
  }
  return listed;
}

}  // namespace finegrain
