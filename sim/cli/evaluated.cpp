// SPDX-License-Identifier: MIT
#include "sim/cli/evaluated.hpp"

#include <algorithm>

#include "sim/cli/progress.hpp"

namespace finegrain::cli {

std::vector<answer::Answer> evaluate_with_progress(const std::vector<answer::Question>& questions,
                                                   int processes, const replay::ReplayOptions& options) {
  const auto simulations = std::ranges::count(questions, true, &answer::Question::simulation);
  const Progress progress("simulating", static_cast<std::size_t>(simulations));
  std::vector<answer::Answer> answers =
      answer::evaluate(questions, processes, options, [&](std::size_t finished) { progress.show(finished); });
  progress.clear();
  return answers;
}

}  // namespace finegrain::cli
