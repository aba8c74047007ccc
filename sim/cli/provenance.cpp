// SPDX-License-Identifier: MIT
#include "sim/cli/provenance.hpp"

#include <fmt/format.h>

namespace finegrain::cli {

std::string simulated_note(const replay::ReplayOptions& options) {
  return fmt::format("simulated: replay; {}", network_model(options));
}

}  // namespace finegrain::cli
