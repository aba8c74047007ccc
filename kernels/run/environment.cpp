// SPDX-License-Identifier: MIT
#include "kernels/run/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "kernels/machine/cpus.hpp"
#include "kernels/machine/identity.hpp"

namespace finegrain::kernels {
namespace {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "not set" : value;
}

}  // namespace

std::map<std::string, std::string> environment(const Session& session, const NodeLayout& layout) {
  return {{"cpu", machine::cpu_model()},
          {"cores", std::to_string(layout.cores)},
          {"machine", machine::machine_identity()},
          session.library(),
          {"compiler", FINEGRAIN_COMPILER},
          {"finegrain", FINEGRAIN_VERSION},
          {"pinning", layout.pinning},
          {"OMP_PROC_BIND", environment_variable("OMP_PROC_BIND")}};
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace finegrain::kernels
