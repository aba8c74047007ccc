// SPDX-License-Identifier: MIT
#include "sim/cli/evaluated.hpp"

#include <algorithm>

#include "sim/answer/contention.hpp"
#include "sim/answer/waits.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/help.hpp"
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

void add_waits_option(CLI::App& command, std::string& waits) {
  command
      .add_option(
          "--waits", waits,
          "Also show why ranks wait: for late senders, late receivers, ranks that are late for a "
          "collective, transfers, or contention, by regions (functions, places or phases) or by ranks; or "
          "links: which messages share which link, and with whom, after one more simulation in full")
      ->check(one_of({"regions", "ranks", "links"}));
}

void add_waits_table(std::vector<output::Table>& tables, std::span<const answer::Answer> answers,
                     const std::string& waits, const replay::ReplayOptions& options) {
  if (waits.empty()) return;
  if (waits == "links") {
    tables.push_back(answer::table_of_contention(answers, options));
    return;
  }
  tables.push_back(
      answer::table_of_waits(answers, waits == "ranks" ? answer::WaitsOf::ranks : answer::WaitsOf::regions));
}

}  // namespace finegrain::cli
