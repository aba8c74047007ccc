// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"
#include "sim/replay/noise.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// The operating system's noise, as a command was asked for it.
struct NoiseOptions {
  std::string noise;  ///< empty: none
  int runs = 21;
  std::uint64_t seed = 1;
};

/// Adds --noise, --noise-runs and --seed.
void add_noise_options(CLI::App& command, NoiseOptions& options);

/// What takes the cores how much of their time, for tables.
std::string noise_note(const NoiseOptions& options, const replay::Noise& noise);

/// Times without noise, and the quantiles of those with it: a row a job.
output::Table noise_table(std::span<const replay::ReplayJob> jobs, const NoiseOptions& options,
                          const replay::ReplayOptions& replay, int processes);

/// Adds that table for the simulations that the questions ask for, if noise is asked for.
void add_noise_table(std::vector<output::Table>& tables, const std::vector<answer::Question>& questions,
                     const NoiseOptions& options, const replay::ReplayOptions& replay, int processes);

}  // namespace finegrain::cli
