// SPDX-License-Identifier: MIT
#include "sim/cli/noise_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/problem/placement.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/replay/noisy_replays.hpp"
#include "traces/io/units.hpp"
#include "traces/quantile.hpp"

namespace finegrain::cli {

void add_noise_options(CLI::App& command, NoiseOptions& options) {
  CLI::Option* noise = command.add_option(
      "--noise", options.noise,
      "Lengthen work by the time that an operating system takes on each core, and show the times with and "
      "without: fixed:period=1ms,duration=10us; exponential:period=...,duration=...; or a file of noise_mpi "
      "(docs/noise.md)");
  noise->check([](const std::string& text) {
    return text.empty() ? std::string("it is empty. Write it like fixed:period=1ms,duration=10us")
                        : std::string();
  });
  command.add_option("--noise-runs", options.runs, "Simulations with noise, each with a seed of its own")
      ->needs(noise)
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Seed of the first of them; the others have the next numbers")
      ->needs(noise)
      ->capture_default_str();
}

std::string noise_note(const NoiseOptions& options, const replay::Noise& noise) {
  return fmt::format("noise: {}; it takes {:.3g} % of each core's time", options.noise, 100 * noise.share());
}

output::Table noise_table(std::span<const replay::ReplayJob> jobs, const NoiseOptions& options,
                          const replay::ReplayOptions& replay_options, int processes) {
  const replay::Noise noise = replay::parse_noise(options.noise, "--noise");
  const Progress progress("simulating", jobs.size() * (static_cast<std::size_t>(options.runs) + 1));
  const std::vector<replay::NoisyTotals> totals =
      replay_with_noise(jobs, noise, options.seed, options.runs, processes, replay_options,
                        [&](std::size_t finished) { progress.show(finished); });
  progress.clear();
  output::Table table;
  table.name = "noise";
  table.title =
      fmt::format("{}: simulated seconds, without and with noise", describe(jobs.front().schedule->run));
  table.columns = {{"platform", "platform"},
                   {"ranks", "ranks"},
                   {"iterations", "iterations"},
                   {"quiet_s", "quiet", 6, output::Origin::simulated},
                   {"first_decile_s", "10 %", 6, output::Origin::simulated},
                   {"median_s", "median", 6, output::Origin::simulated},
                   {"last_decile_s", "90 %", 6, output::Origin::simulated},
                   {"most_s", "most", 6, output::Origin::simulated},
                   {"median_over_quiet", "median/quiet", 4, output::Origin::simulated}};
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const auto& [quiet_s, noisy_s] = totals[j];
    const Run& run = jobs[j].schedule->run;
    const double median_s = quantile(noisy_s, 0.5);
    table.rows.push_back({jobs[j].platform->name, std::int64_t{run.ranks},
                          jobs[j].programs == nullptr ? output::Cell(run.iterations) : output::Cell(),
                          quiet_s, quantile(noisy_s, 0.1), median_s, quantile(noisy_s, 0.9),
                          std::ranges::max(noisy_s),
                          quiet_s > 0 ? output::Cell(median_s / quiet_s) : output::Cell()});
  }
  table.notes = {
      noise_note(options, noise),
      fmt::format("{} with noise, seeds {} to {}; every iteration is simulated",
                  format_count(options.runs, "simulation"), options.seed,
                  options.seed + static_cast<std::uint64_t>(options.runs) - 1),
      "It lengthens work and the overheads of messages. While a rank waits, it costs nothing unless it "
      "outlasts the wait.",
      fmt::format("Network: {}.", network_model(replay_options))};
  return table;
}

void add_noise_table(std::vector<output::Table>& tables, const std::vector<answer::Question>& questions,
                     const NoiseOptions& options, const replay::ReplayOptions& replay, int processes) {
  if (options.noise.empty()) return;
  std::vector<replay::ReplayJob> jobs;
  for (const answer::Question& question : questions)
    jobs.push_back(question.job);
  tables.push_back(noise_table(jobs, options, replay, processes));
}

}  // namespace finegrain::cli
