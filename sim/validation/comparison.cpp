// SPDX-License-Identifier: MIT
#include "sim/validation/comparison.hpp"

#include <algorithm>
#include <cassert>

#include "sim/pattern/counts.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::validation {
namespace {

Run with_block_size(Run run, std::int64_t block_size) {
  run.problem.settings["blocksize"] = block_size;
  return run;
}

/// The runs that have to be simulated, each once.
std::vector<Run> runs_of(const PublishedExperiments& table) {
  std::vector<Run> runs;
  const auto add = [&](const Run& run) {
    if (std::ranges::find(runs, run) == runs.end()) runs.push_back(run);
  };
  for (const Experiment& experiment : table.experiments) {
    add(experiment.run);
    for (const std::int64_t block_size : experiment.block_sizes)
      add(with_block_size(experiment.run, block_size));
  }
  return runs;
}

}  // namespace

Cases::Cases(const PublishedExperiments& table, const platform::PlatformCosts& closed_form_costs,
             const pattern::Pattern& pattern) {
  const std::vector<Run> runs = runs_of(table);
  std::vector<problem::Placement> placements;
  for (const Run& run : runs)
    placements.emplace_back(run.ranks, run.ranks_per_node);
  const auto counts = policy::counts_of(pattern, runs, placements, pattern::all_cores());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    schedules_.push_back(policy::make_schedule(pattern, runs[i], counts[i]));
    predictions_.push_back(policy::predict(runs[i], counts[i], closed_form_costs));
  }
}

std::size_t Cases::place_of(const Run& run) const {
  const auto found = std::ranges::find(schedules_, run, &Schedule::run);
  assert(found != schedules_.end());
  return static_cast<std::size_t>(found - schedules_.begin());
}

std::optional<double> Cases::closed_form_s(std::size_t place, Part part) const {
  const std::optional<model::Prediction>& prediction = predictions_[place];
  if (!prediction) return std::nullopt;
  const double compute_s = phase_time_s(*prediction, regions::compute).value_or(0);
  const double iteration_s = part == Part::total     ? prediction->total_s
                             : part == Part::compute ? compute_s
                                                     : prediction->total_s - compute_s;
  return static_cast<double>(schedules_[place].run.iterations) * iteration_s;
}

double part_s(const Schedule& schedule, const replay::ReplayResult& simulated, Part part) {
  if (part == Part::total) return simulated.total_s;
  double slowest_s = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    double seconds = 0;
    for (std::size_t p = 0; p < schedule.ranks[rank].regions.size(); ++p) {
      const bool computes = schedule.ranks[rank].regions[p].name == regions::compute;
      if (computes == (part == Part::compute)) seconds += simulated.ranks[rank].phases_s[p];
      if (computes) break;
    }
    slowest_s = std::max(slowest_s, seconds);
  }
  return slowest_s;
}

ComparedTable compare(const PublishedExperiments& table, const Cases& cases,
                      const platform::Platform& platform, Reading reading, int processes,
                      const replay::ReplayOptions& options, const OnSimulated& on_simulated) {
  const std::vector<Run> runs = runs_of(table);
  std::vector<replay::ReplayJob> jobs;
  for (const Run& run : runs)
    jobs.push_back({&cases.schedules()[cases.place_of(run)], &platform});
  const auto simulated = replay_all(jobs, processes, options, on_simulated);

  const auto simulated_s = [&](const Run& run, Part part) {
    const auto job = static_cast<std::size_t>(std::ranges::find(runs, run) - runs.begin());
    return part_s(*jobs[job].schedule, simulated[job], part);
  };
  ComparedTable compared{table.name, table.title, {}, table.notes};
  for (const Experiment& experiment : table.experiments) {
    Comparison& cell = compared.cells.emplace_back();
    cell.experiment = experiment;
    cell.simulated_s = simulated_s(experiment.run, experiment.part);
    cell.closed_form_s = cases.closed_form_s(cases.place_of(experiment.run), experiment.part);
    if (reading == Reading::relative_to_closed_form) {
      cell.simulated_s *= experiment.printed_s.value() / cell.closed_form_s.value();
      cell.closed_form_s = experiment.printed_s;
    }
    for (const std::int64_t block_size : experiment.block_sizes) {
      const double seconds = simulated_s(with_block_size(experiment.run, block_size), experiment.part);
      Range& range = cell.simulated_range_s ? *cell.simulated_range_s
                                            : cell.simulated_range_s.emplace(Range{seconds, seconds});
      range = {std::min(range.least, seconds), std::max(range.most, seconds)};
    }
  }
  return compared;
}

}  // namespace finegrain::validation
