// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// Adds --waiting, --count and --ranks-per-socket.
void add_energy_options(CLI::App& command, replay::EnergyOptions& options);

/// What a table with these columns has to say; nothing where no platform has powers.
std::vector<std::string> energy_notes(std::span<const platform::Platform> platforms,
                                      const replay::EnergyOptions& options);

}  // namespace finegrain::cli
