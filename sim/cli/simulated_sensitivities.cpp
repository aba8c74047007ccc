// SPDX-License-Identifier: MIT
#include "sim/cli/simulated_sensitivities.hpp"

#include <optional>

#include "sim/cli/progress.hpp"

namespace finegrain::cli {

sensitivity::Sensitivities simulated_sensitivities(const replay::ReplayJob& job,
                                                   const replay::ReplayOptions& options,
                                                   const sensitivity::Question& question) {
  std::optional<Progress> progress;
  std::size_t expected = 0;
  sensitivity::Sensitivities found =
      sensitivities(job, options, question, [&](std::size_t done, std::size_t all) {
        if (!progress || all != expected) progress.emplace("simulating what is better", expected = all);
        progress->show(done);
      });
  if (progress) progress->clear();
  return found;
}

}  // namespace finegrain::cli
