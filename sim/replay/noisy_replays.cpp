// SPDX-License-Identifier: MIT
#include "sim/replay/noisy_replays.hpp"

namespace finegrain::replay {

std::vector<NoisyTotals> replay_with_noise(std::span<const ReplayJob> jobs, const Noise& noise,
                                           std::uint64_t first_seed, int runs, int processes,
                                           const ReplayOptions& options,
                                           const std::function<void(std::size_t)>& finished) {
  ReplayOptions in_full = options;
  in_full.repeat_tolerance = 0;
  std::vector<ReplayJob> simulations;
  for (const ReplayJob& job : jobs) {
    simulations.push_back(job);
    for (int run = 0; run < runs; ++run) {
      ReplayJob& noisy = simulations.emplace_back(job);
      noisy.noise = &noise;
      noisy.cores.seed = first_seed + static_cast<std::uint64_t>(run);
    }
  }
  const std::vector<ReplayResult> results = replay_all(simulations, processes, in_full, finished);
  std::vector<NoisyTotals> totals;
  for (auto result = results.begin(); result != results.end();) {
    NoisyTotals& of_job = totals.emplace_back(NoisyTotals{result++->total_s, {}});
    for (int run = 0; run < runs; ++run)
      of_job.noisy_s.push_back(result++->total_s);
  }
  return totals;
}

}  // namespace finegrain::replay
