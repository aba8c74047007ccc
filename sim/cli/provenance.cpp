// SPDX-License-Identifier: MIT
#include "sim/cli/provenance.hpp"

#include <fmt/format.h>

namespace finegrain::cli {

std::string simulated_note(const replay::ReplayOptions& options) {
  return fmt::format("simulated: replay; {}", network_model(options));
}

std::string platform_note(const platform::Platform& platform) {
  return fmt::format("platform {}: memory {:.3g} GB/s a node, {:.3g} a core",
                     platform.file.filename().string(), platform.costs.memory_bandwidth_bytes_per_s / 1e9,
                     platform.costs.memory_bandwidth_per_core_bytes_per_s / 1e9);
}

}  // namespace finegrain::cli
