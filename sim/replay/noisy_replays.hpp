// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/replay/noise.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A job's time without noise, and with the noise of each seed.
struct NoisyTotals {
  double quiet_s = 0;
  std::vector<double> noisy_s;  ///< shape [runs], in the order of the seeds
};

/// Replays each job once without noise, then `runs` times with noise, with consecutive seeds. Every
/// iteration is simulated.
/// @param finished  called with the number of finished simulations, of jobs x (runs + 1)
/// @throws InputError as replay_all() does
std::vector<NoisyTotals> replay_with_noise(std::span<const ReplayJob> jobs, const Noise& noise,
                                           std::uint64_t first_seed, int runs, int processes,
                                           const ReplayOptions& options = {},
                                           const std::function<void(std::size_t)>& finished = {});

}  // namespace finegrain::replay
