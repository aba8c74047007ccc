// SPDX-License-Identifier: MIT
#include "sim/cli/compare_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/problem/placement.hpp"
#include "sim/answer/regions.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/recorded_where.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/report/page.hpp"
#include "sim/report/report_data.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/measurement.hpp"

namespace finegrain::cli {
namespace {

/// Whether measured times are those that the others should be.
enum class Judged : std::uint8_t { no, yes };

output::Cell milliseconds(std::optional<double> seconds) {
  return seconds ? output::Cell(*seconds * 1e3) : output::Cell();
}

/// (prediction - measurement) / measurement, in percent.
output::Cell error_percent(std::optional<double> predicted_s, double measured_s) {
  if (!predicted_s || measured_s <= 0) return {};
  return 100 * (*predicted_s - measured_s) / measured_s;
}

/// The regions, and then the iteration.
std::vector<std::vector<output::Cell>> rows_of(const answer::Answer& answer, model::PhaseNames names,
                                               Judged judged) {
  std::vector<std::vector<output::Cell>> rows;
  const auto add = [&](const std::string& name, double measured_s, double simulated_s,
                       std::optional<double> closed_form_s, double joules) {
    std::vector<output::Cell>& row = rows.emplace_back(std::vector<output::Cell>{
        name, milliseconds(measured_s), milliseconds(simulated_s), milliseconds(closed_form_s)});
    if (judged == Judged::yes)
      row.insert(row.end(),
                 {error_percent(simulated_s, measured_s), error_percent(closed_form_s, measured_s)});
    if (answer.simulated->energy) row.emplace_back(joules);
  };
  for (const answer::RegionTimes& times : region_times(answer, names))
    add(times.region.name(), answer::slowest_s(times.measured_s), answer::slowest_s(times.simulated_s),
        times.closed_form_s, times.joules);
  add("iteration", answer.question.measurement->iteration_s, answer.simulated->total_s / answer.iterations(),
      answer.closed_form ? std::optional(answer.closed_form->total_s) : std::nullopt,
      answer.simulated->energy ? answer.simulated->energy->total_j / answer.iterations() : 0);
  return rows;
}

}  // namespace

Comparison compare_trace(const Trace& trace, const std::string& name, const WorkloadOptions& workload,
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
  const std::vector<pattern::RankCounts> counts = counts_of(pattern, schedule.run, placement);
  const Measurement measured = measure(trace);
  const bool as_recorded =
      schedule.run.ranks_per_node == manifest.run.ranks_per_node && rule == graph::PlacementRule::block;
  std::string not_there = elsewhere(manifest, platform.file);
  if (not_there.empty()) not_there = disturbed(manifest, measured);
  const auto cpu = manifest.environment.find("cpu");
  const std::vector<answer::Answer> answers = evaluate_with_progress(
      {{.job = {.schedule = &schedule, .platform = &platform, .placement = &placement},
        .closed_form = model::ClosedForm::as_published,
        .counts = counts,
        .measurement = &measured,
        .recording =
            answer::Recording{.trace = std::filesystem::path(name).filename().string(),
                              .machine = cpu == manifest.environment.end() ? "" : cpu->second,
                              .oversubscribed = manifest.oversubscribed,
                              .elsewhere = as_recorded ? not_there : "its ranks were placed otherwise"}}},
      1, replay_options);
  const answer::Answer& answer = answers.front();
  const Judged judged =
      as_recorded && !manifest.oversubscribed && not_there.empty() ? Judged::yes : Judged::no;
  output::Table table;
  table.name = "phases";
  table.title = fmt::format(
      "{}, {} x {}, {}: ms an iteration", describe(schedule.run), format_count(schedule.run.ranks, "rank"),
      format_count(schedule.run.threads_per_rank, "thread"),
      format_count(problem::Placement(schedule.run.ranks, schedule.run.ranks_per_node).nodes(), "node"));
  const std::string no_closed_form = answer.closed_form ? "this region costs nothing in the equations"
                                     : policy::has_closed_form(schedule.run)
                                         ? "needs the matrix. Give --matrix to see it"
                                         : schedule.run.policy + " has no equations";
  table.columns = {
      {"phase", "phase"},
      {"measured_ms", "measured"},
      {"simulated_ms", "simulated"},
      {.key = "closed_form_ms", .heading = "closed form", .origin = {}, .absent = no_closed_form}};
  if (judged == Judged::yes) {
    table.columns.insert(table.columns.end(), {{"simulated_error_percent", "sim. error %", 1},
                                               {.key = "closed_form_error_percent",
                                                .heading = "c.f. error %",
                                                .decimals = 1,
                                                .origin = {},
                                                .absent = no_closed_form}});
  }
  if (answer.simulated->energy) table.columns.push_back({"simulated_j", "sim. J", 6});
  table.rows = rows_of(answer, model::PhaseNames::each, judged);
  table.sums = rows_of(answer, model::PhaseNames::together, judged);
  if (table.sums.size() == table.rows.size()) table.sums.clear();

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
  nlohmann::json page = report::overview_of(answers, 0, replay_options);
  page["problem"] = pattern ? pattern->title() : answer.question.recording->trace;
  return {{std::move(table)}, report::text_of(page)};
}

}  // namespace finegrain::cli
