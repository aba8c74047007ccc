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

/// What a row of a table is of.
struct EnergyOfRow {
  const replay::ReplayResult* simulated = nullptr;  ///< null: nothing was
  std::int64_t iterations = 0;                      ///< 0: a program, which has no count of iterations
};

/// Adds the columns of energy to a table, where any of its rows has one.
/// @param rows  of all rows of the table
void add_energy(output::Table& table, std::span<const EnergyOfRow> rows);

/// What a table with these columns has to say; nothing where no platform has powers.
std::vector<std::string> energy_notes(std::span<const platform::Platform> platforms,
                                      const replay::EnergyOptions& options);

}  // namespace finegrain::cli
