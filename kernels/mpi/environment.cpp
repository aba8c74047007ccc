// SPDX-License-Identifier: MIT
#include "kernels/mpi/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ctime>

#include "kernels/machine/cpus.hpp"

namespace finegrain {
namespace {

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data());
  // Open MPI: "Open MPI v4.1.4, package: ..."; MPICH: a line a fact.
  return version.substr(0, version.find_first_of(",\n"));
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "not set" : value;
}

}  // namespace

std::map<std::string, std::string> environment(const NodeLayout& layout) {
  return {{"cpu", cpu_model()},
          {"cores", std::to_string(layout.cores)},
          {"mpi", mpi_library()},
          {"compiler", FINEGRAIN_COMPILER},
          {"finegrain", FINEGRAIN_VERSION},
          {"pinning", layout.pinning},
          {"OMP_PROC_BIND", environment_variable("OMP_PROC_BIND")}};
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace finegrain
