// SPDX-License-Identifier: MIT
#include "sim/cli/preparation_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/cli/evaluated.hpp"
#include "sim/policy/preparation.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

Run preparation_of(const Run& run) {
  const std::optional<Run> preparation = policy::preparation_of(run);
  if (preparation) return *preparation;
  throw InputError("--pays-against",
                   fmt::format("what {} needs before its first iteration is not known", describe(run)),
                   "Leave it out, or compare the usual program of a matrix");
}

/// The same problem and ranks with the usual program of another policy.
Run with_policy(const Run& run, const std::string& name) {
  const policy::Variant other = policy::find_variant(pattern::pattern_kind(run), name, "", "");
  Run changed = run;
  changed.policy = other.policy;
  changed.policy_settings = {};
  changed.transfer = other.transfer;
  changed.completion = other.completion;
  changed.policy_settings = policy::settings_of(changed);
  return changed;
}

/// None: the other policy's iterations are not slower.
output::Cell pays_after(double preparation_s, double iteration_s, double other_iteration_s) {
  const double gain_s = other_iteration_s - iteration_s;
  return gain_s > 0 ? output::Cell(static_cast<std::int64_t>(std::ceil(preparation_s / gain_s)))
                    : output::Cell();
}

}  // namespace

output::Table preparation_table(const Workload& workload, std::span<const platform::Platform> platforms,
                                const std::string& against, const replay::ReplayOptions& options, int jobs) {
  constexpr std::size_t kinds = 3;  // the run, its preparation, the other policy's
  std::deque<Schedule> schedules;
  std::deque<problem::Placement> placements;
  std::deque<std::vector<pattern::RankCounts>> counts;
  for (const Run& run : workload.runs()) {
    for (const Run& each : {run, preparation_of(run), with_policy(run, against)})
      schedules.push_back(workload.schedule(each));
    placements.push_back(workload.placement(*(schedules.end() - kinds)));
    for (std::size_t i = schedules.size() - kinds; i < schedules.size(); ++i)
      counts.push_back(counts_of(workload.pattern(), schedules[i].run, placements.back()));
  }
  std::vector<answer::Question> questions;
  for (const auto& [run, platform] : workload.by_platforms())
    for (std::size_t i = kinds * run; i < kinds * (run + 1); ++i)
      questions.push_back({.job = {.schedule = &schedules[i],
                                   .platform = &platforms[platform],
                                   .placement = &placements[run]},
                           .closed_form = model::ClosedForm::as_published,
                           .counts = counts[i]});
  const std::vector<answer::Answer> all = evaluate_with_progress(questions, jobs, options);
  const auto iteration_s = [&](std::size_t job) {
    return all[job].simulated->total_s / all[job].iterations();
  };
  const auto closed_form_s = [&](std::size_t job) {
    return all[job].closed_form ? std::optional(all[job].closed_form->total_s) : std::nullopt;
  };

  output::Table table{.title = "Preparation, once before the first iteration",
                      .columns = {{"platform", "platform"},
                                  {"nodes", "nodes"},
                                  {"ranks", "ranks"},
                                  {"preparation_ms", "preparation ms", 3, output::Origin::simulated},
                                  {"iteration_ms", "iteration ms", 3, output::Origin::simulated},
                                  {"other_iteration_ms", against + " ms", 3, output::Origin::simulated},
                                  {"pays_after_iterations", "pays after", 3, output::Origin::simulated},
                                  {"closed_form_preparation_ms", "c.f. preparation"},
                                  {"closed_form_pays_after_iterations", "c.f. pays after"},
                                  {"ranks_per_node", "ranks/node"}},
                      .rows = {},
                      .notes = {},
                      .name = "preparation"};
  for (std::size_t job = 0; job < all.size(); job += kinds) {
    const double preparation_s = iteration_s(job + 1);
    const std::optional<double> closed[] = {closed_form_s(job), closed_form_s(job + 1),
                                            closed_form_s(job + 2)};
    const Run& run = all[job].run();
    table.rows.push_back({all[job].question.job.platform->name,
                          std::int64_t{all[job].question.job.placement->nodes()}, std::int64_t{run.ranks},
                          preparation_s * 1e3, iteration_s(job) * 1e3, iteration_s(job + 2) * 1e3,
                          pays_after(preparation_s, iteration_s(job), iteration_s(job + 2)),
                          closed[1] ? output::Cell(*closed[1] * 1e3) : output::Cell(),
                          closed[0] && closed[1] && closed[2] ? pays_after(*closed[1], *closed[0], *closed[2])
                                                              : output::Cell(),
                          std::int64_t{std::min(run.ranks, run.ranks_per_node)}});
  }
  table.notes = {
      fmt::format("{}, simulated, beside {}; then by the closed form (c.f.). Times of iterations do not "
                  "include the preparation.",
                  describe(all[0].run()), describe(all[2].run())),
      "pays after: iterations after which preparation and iterations together have taken no longer than as "
      "many iterations of the other policy. None if those are not slower."};
  return table;
}

}  // namespace finegrain::cli
