// SPDX-License-Identifier: MIT
#include "sim/cli/compare_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "kernels/problem/placement.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/report/answers.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/measurement.hpp"

namespace finegrain::cli {
namespace {

/// Whether measured times are those that the others should be.
enum class Judged : std::uint8_t { no, yes };

/// The largest of the ranks' times in one phase, in seconds.
double slowest_s(const Schedule& schedule, const model::NumberedPhase& wanted, model::PhaseNames names,
                 const auto& seconds_of_phase) {
  double slowest = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks[rank].regions, names);
    double of_rank = 0;
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      if (phases[phase] == wanted) of_rank += seconds_of_phase(rank, phase);
    slowest = std::max(slowest, of_rank);
  }
  return slowest;
}

output::Cell milliseconds(std::optional<double> seconds) {
  return seconds ? output::Cell(*seconds * 1e3) : output::Cell();
}

/// (prediction - measurement) / measurement, in percent.
output::Cell error_percent(std::optional<double> predicted_s, double measured_s) {
  if (!predicted_s || measured_s <= 0) return {};
  return 100 * (*predicted_s - measured_s) / measured_s;
}

/// None if it needs counts and there are none, or there are no equations.
std::optional<model::Prediction> closed_form_of(const std::shared_ptr<const pattern::Pattern>& pattern,
                                                const Run& run, const platform::PlatformCosts& costs,
                                                const problem::Placement& placement) {
  return policy::predict(run, counts_of(pattern, run, placement), costs, model::ClosedForm::as_published,
                         &placement);
}

/// What each column has of one phase, or of the iteration.
struct PhaseTimes {
  std::string name;
  double measured_s = 0;
  double simulated_s = 0;
  std::optional<double> closed_form_s = {};
  double joules = 0;
};

/// A recorded run, and what its phases take by each way.
struct ComparedRun {
  const Schedule& schedule;
  const Measurement& measured;
  const replay::ReplayResult& simulated;
  const std::optional<model::Prediction>& closed_form;

  /// Seconds of an iteration, in program order. Phases that are taken together are added up on each rank.
  std::vector<PhaseTimes> phases(model::PhaseNames names) const {
    const auto iterations = static_cast<double>(schedule.run.iterations);
    std::vector<PhaseTimes> times;
    std::vector<model::NumberedPhase> rows;
    for (const model::NumberedPhase& phase : model::numbered(schedule.ranks.front().regions)) {
      const model::NumberedPhase row =
          names == model::PhaseNames::each ? phase : model::NumberedPhase{phase.region};
      auto place = static_cast<std::size_t>(std::ranges::find(rows, row) - rows.begin());
      if (place == rows.size()) {
        rows.push_back(row);
        times.push_back({.name = row.name(),
                         .measured_s = slowest_s(
                             schedule, row, names,
                             [&](std::size_t rank, std::size_t p) { return measured.phases_s[rank][p]; }),
                         .simulated_s = slowest_s(schedule, row, names, [&](std::size_t rank, std::size_t p) {
                           return simulated.ranks[rank].phases_s[p] / iterations;
                         })});
      }
      PhaseTimes& time = times[place];
      if (closed_form)
        if (const auto seconds = phase_time_s(*closed_form, phase.region, phase.number))
          time.closed_form_s = time.closed_form_s.value_or(0) + *seconds;
      if (simulated.energy) time.joules += report::phase_joules(schedule, simulated, phase) / iterations;
    }
    return times;
  }

  PhaseTimes iteration() const {
    const auto iterations = static_cast<double>(schedule.run.iterations);
    return {.name = "iteration",
            .measured_s = measured.iteration_s,
            .simulated_s = simulated.total_s / iterations,
            .closed_form_s = closed_form ? std::optional(closed_form->total_s) : std::nullopt,
            .joules = simulated.energy ? simulated.energy->total_j / iterations : 0};
  }
};

std::vector<std::vector<output::Cell>> rows_of(const ComparedRun& run, model::PhaseNames names,
                                               Judged judged) {
  std::vector<PhaseTimes> times = run.phases(names);
  times.push_back(run.iteration());
  std::vector<std::vector<output::Cell>> rows;
  for (const PhaseTimes& time : times) {
    std::vector<output::Cell>& row = rows.emplace_back(
        std::vector<output::Cell>{time.name, milliseconds(time.measured_s), milliseconds(time.simulated_s),
                                  milliseconds(time.closed_form_s)});
    if (judged == Judged::yes)
      row.insert(row.end(), {error_percent(time.simulated_s, time.measured_s),
                             error_percent(time.closed_form_s, time.measured_s)});
    if (run.simulated.energy) row.emplace_back(time.joules);
  }
  return rows;
}

}  // namespace

output::Table compare_trace(const Trace& trace, const std::string& name, const WorkloadOptions& workload,
                            const PlatformOptions& platform_options,
                            const replay::ReplayOptions& replay_options) {
  Schedule schedule = schedule_of(trace);
  const Manifest& manifest = trace.manifest();
  if (!workload.ranks.empty() && workload.ranks != std::vector<int>{schedule.run.ranks}) {
    throw InputError("--ranks",
                     fmt::format("the trace {} was recorded on {} and replays on the same number", name,
                                 format_count(schedule.run.ranks, "rank")),
                     "Leave --ranks out");
  }
  schedule.run.ranks_per_node = workload.ranks_per_node.value_or(schedule.run.ranks_per_node);
  const std::vector<platform::Platform> platforms = read_platforms(platform_options);
  if (platforms.size() != 1)
    throw InputError("--platform", "a trace is compared with one platform, the one it ran on",
                     "Give one file");
  const platform::Platform& platform = platforms.front();
  check_cores({&schedule.run, 1}, platforms, platform_options);
  const graph::PlacementRule rule = placement_rule(workload);
  const problem::Placement placement = placement_on(platforms, rule, schedule);
  warn_of_memory(schedule.run, {}, placement, platform);
  const auto pattern = pattern_of_trace(workload.problems, schedule.run, name);
  const std::optional<model::Prediction> closed_form =
      closed_form_of(pattern, schedule.run, platform.costs, placement);
  const Measurement measured = measure(trace);
  const replay::ReplayResult simulated = replay::replay(schedule, platform, replay_options, &placement);

  const bool as_recorded =
      schedule.run.ranks_per_node == manifest.run.ranks_per_node && rule == graph::PlacementRule::block;
  std::string not_there = elsewhere(manifest, platform.file);
  if (not_there.empty()) not_there = disturbed(manifest, measured);
  const Judged judged =
      as_recorded && !manifest.oversubscribed && not_there.empty() ? Judged::yes : Judged::no;
  output::Table table;
  table.name = "phases";
  table.title = fmt::format(
      "{}, {} x {}, {}: ms an iteration", describe(schedule.run), format_count(schedule.run.ranks, "rank"),
      format_count(schedule.run.threads_per_rank, "thread"),
      format_count(problem::Placement(schedule.run.ranks, schedule.run.ranks_per_node).nodes(), "node"));
  table.columns = {{"phase", "phase"},
                   {"measured_ms", "measured"},
                   {"simulated_ms", "simulated"},
                   {"closed_form_ms", "closed form"}};
  if (judged == Judged::yes) {
    table.columns.insert(table.columns.end(), {{"simulated_error_percent", "sim. error %", 1},
                                               {"closed_form_error_percent", "c.f. error %", 1}});
  }
  if (simulated.energy) table.columns.push_back({"simulated_j", "sim. J", 6});
  const ComparedRun run{schedule, measured, simulated, closed_form};
  table.rows = rows_of(run, model::PhaseNames::each, judged);
  table.sums = rows_of(run, model::PhaseNames::together, judged);
  if (table.sums.size() == table.rows.size()) table.sums.clear();

  const auto cpu = manifest.environment.find("cpu");
  table.notes = {
      fmt::format("measured: {}; median of {} (iteration: first to last decile {} to {} ms)",
                  cpu == manifest.environment.end() ? "the recorded run" : cpu->second,
                  format_count(measured.iterations, "iteration"),
                  format_decimals(measured.iteration_low_s * 1e3, 3),
                  format_decimals(measured.iteration_high_s * 1e3, 3)),
      simulated_note(replay_options), closed_form_note, platform_note(platform),
      "A phase's time is its slowest rank's, so the phases need not add up to the iteration. Simulated, "
      "posting a "
      "receive costs nothing, and waiting for a message that has arrived costs nothing either."};
  if (!closed_form && policy::has_closed_form(schedule.run))
    table.notes.push_back("closed form: needs the matrix. Give --matrix to see it");
  if (pattern) std::ranges::move(pattern->notes(), std::back_inserter(table.notes));
  for (std::string& gap : policy::closed_form_gaps(schedule.run))
    table.notes.push_back(std::move(gap));
  std::ranges::move(policy::idle_ranks_notes({&schedule.run, 1}), std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes({&schedule.run, 1}, platforms), std::back_inserter(table.notes));
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(table.notes));
  std::ranges::move(derived_notes({&schedule.run, 1}, platform_options), std::back_inserter(table.notes));
  std::ranges::move(energy_notes(platforms, replay_options.energy), std::back_inserter(table.notes));
  if (!not_there.empty()) table.notes.push_back(not_there);
  if (!as_recorded)
    table.notes.emplace_back("ranks on nodes: not as recorded, so the measured times enter no error figure");
  if (manifest.oversubscribed)
    table.notes.push_back(
        "oversubscribed: more ranks than cores, so the measured times enter no error figure");
  return table;
}

}  // namespace finegrain::cli
