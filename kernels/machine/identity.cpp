// SPDX-License-Identifier: MIT
#include "kernels/machine/identity.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <fstream>

#include "kernels/machine/cpus.hpp"

namespace finegrain::machine {
namespace {

/// Empty if the system has none.
std::string cluster_or_host() {
  if (const char* cluster = std::getenv("SLURM_CLUSTER_NAME"); cluster != nullptr) return cluster;
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::string id;
    if (std::ifstream file(path); file >> id) return id;
  }
  return {};
}

}  // namespace

std::string machine_identity() {
  std::string identity = fmt::format("{}, {} CPUs", cpu_model(), ::sysconf(_SC_NPROCESSORS_CONF));
  // systemd asks for a digest wherever a machine-id is shown.
  if (const std::string name = cluster_or_host(); !name.empty())
    identity += fmt::format(", id {:016x}", XXH3_64bits_withSeed(name.data(), name.size(), 0xf19e67a1));
  return identity;
}

}  // namespace finegrain::machine
