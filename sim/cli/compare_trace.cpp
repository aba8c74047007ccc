// SPDX-License-Identifier: MIT
#include "sim/cli/compare_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/problem/placement.hpp"
#include "kernels/problem/uneven_placement.hpp"
#include "sim/answer/interval.hpp"
#include "sim/answer/quantities.hpp"
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

/// What errors are shown of, in each row: measured times are those that the others should be.
bool is_judged(const answer::Answer& answer) {
  const answer::Recording& recording = *answer.question.recording;
  return !recording.oversubscribed && recording.elsewhere.empty();
}

output::Cell milliseconds(std::optional<double> seconds) {
  return seconds ? output::Cell(*seconds * 1e3) : output::Cell();
}

/// (prediction - measurement) / measurement, in percent.
output::Cell error_percent(std::optional<double> predicted_s, double measured_s) {
  if (!predicted_s || measured_s <= 0) return {};
  return 100 * (*predicted_s - measured_s) / measured_s;
}

/// Which columns the table of phases has.
struct Columns {
  bool platform = false;
  bool errors = false;
  bool joules = false;
};

/// The regions of each answer, and then its iteration.
std::vector<std::vector<output::Cell>> rows_of(std::span<const answer::Answer> answers,
                                               model::PhaseNames names, const Columns& columns) {
  std::vector<std::vector<output::Cell>> rows;
  for (const answer::Answer& answer : answers) {
    const auto add = [&](const std::string& name, double measured_s, double simulated_s,
                         std::optional<double> closed_form_s, std::optional<double> late_s, double joules) {
      std::vector<output::Cell>& row = rows.emplace_back();
      if (columns.platform) row.emplace_back(answer.question.job.platform->name);
      row.insert(row.end(),
                 {name, milliseconds(measured_s), milliseconds(simulated_s), milliseconds(closed_form_s)});
      if (columns.errors && is_judged(answer))
        row.insert(row.end(),
                   {error_percent(simulated_s, measured_s), error_percent(closed_form_s, measured_s)});
      else if (columns.errors)
        row.insert(row.end(), 2, output::Cell());
      row.push_back(late_s.value_or(0) > 0 ? milliseconds(late_s) : output::Cell());
      if (columns.joules) row.push_back(answer.simulated->energy ? output::Cell(joules) : output::Cell());
    };
    for (const answer::RegionTimes& times : region_times(answer, names))
      add(times.region.name(), answer::slowest_s(times.measured_s), answer::slowest_s(times.simulated_s),
          times.closed_form_s, late_of_slowest_s(times), times.joules);
    add("iteration", answer.question.measurement->iteration_s,
        answer.simulated->total_s / answer.iterations(),
        answer.closed_form ? std::optional(answer.closed_form->total_s) : std::nullopt, std::nullopt,
        answer.simulated->energy ? answer.simulated->energy->total_j / answer.iterations() : 0);
  }
  return rows;
}

output::Table phases_of_recording(std::span<const answer::Answer> answers) {
  const Run& run = answers.front().run();
  const Columns shown{.platform = answers.size() > 1,
                      .errors = std::ranges::any_of(answers, is_judged),
                      .joules = std::ranges::any_of(answers, [](const answer::Answer& answer) {
                        return answer.simulated->energy.has_value();
                      })};
  output::Table table;
  table.name = "phases";
  table.title = fmt::format("{}, {} x {}, {}: ms an iteration", describe(run),
                            format_count(run.ranks, "rank"), format_count(run.threads_per_rank, "thread"),
                            format_count(problem::Placement(run.ranks, run.ranks_per_node).nodes(), "node"));
  const std::string no_closed_form =
      answers.front().closed_form    ? "this region costs nothing in the equations"
      : policy::has_closed_form(run) ? "needs the matrix. Give --matrix to see it"
                                     : run.policy + " has no equations";
  if (shown.platform) table.columns.push_back({"platform", "platform"});
  table.columns.insert(
      table.columns.end(),
      {{"phase", "phase"},
       {"measured_ms", "measured"},
       {"simulated_ms", "simulated"},
       {.key = "closed_form_ms", .heading = "closed form", .origin = {}, .absent = no_closed_form}});
  if (shown.errors)
    table.columns.insert(table.columns.end(), {{"simulated_error_percent", "sim. error %", 1},
                                               {.key = "closed_form_error_percent",
                                                .heading = "c.f. error %",
                                                .decimals = 1,
                                                .origin = {},
                                                .absent = no_closed_form}});
  table.columns.push_back({.key = "late_ms",
                           .heading = "of it late",
                           .origin = output::Origin::simulated,
                           .absent = "no rank waits for a partner here"});
  if (shown.joules) table.columns.push_back({"simulated_j", "sim. J", 6});
  table.rows = rows_of(answers, model::PhaseNames::each, shown);
  table.sums = rows_of(answers, model::PhaseNames::together, shown);
  if (table.sums.size() == table.rows.size()) table.sums.clear();
  return table;
}

/// The recorded run, and the same on each platform: seconds of all iterations.
output::Table totals_of_recording(std::span<const answer::Answer> answers) {
  const answer::Question& first = answers.front().question;
  std::vector<answer::Answer> all = {
      {.question = {.job = {.schedule = first.job.schedule,
                            .platform = nullptr,
                            .placement = first.job.placement},
                    .simulation = false,
                    .measured_s = first.measurement->iteration_s * answers.front().iterations()},
       .simulated = {},
       .closed_form = {}}};
  std::ranges::copy(answers, std::back_inserter(all));
  output::Table table = answer::table_of(all, answer::compared_totals());
  table.name = "totals";
  table.title = fmt::format("{}: seconds of {}", describe(answers.front().run()),
                            format_count(answers.front().run().iterations, "iteration"));
  table.notes = {"measured: the median iteration, times their number"};
  std::ranges::move(answer::interval_notes(answers), std::back_inserter(table.notes));
  return table;
}

}  // namespace

Comparison compare_trace(const Trace& trace, const std::string& name, const WorkloadOptions& workload,
                         const PlatformOptions& platform_options, const replay::ReplayOptions& replay_options,
                         int processes, const std::string& waits, const NoiseOptions& noise) {
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
  const auto listed = listed_placement(platforms, workload, schedule.run);
  check_cores({&schedule.run, 1}, platforms, platform_options, listed);
  const graph::PlacementRule rule = placement_rule(workload);
  const problem::Placement placement = listed ? *listed : placement_on(platforms, rule, schedule);
  const auto pattern = pattern_of_trace(workload.problems, schedule.run, name);
  const std::vector<pattern::RankCounts> counts = counts_of(pattern, schedule.run, placement);
  const Measurement measured = measure(trace);
  const problem::Placement recorded(manifest.run.ranks, manifest.run.ranks_per_node);
  const bool as_recorded =
      rule == graph::PlacementRule::block && problem::are_on_same_nodes(placement, recorded);
  const auto cpu = manifest.environment.find("cpu");
  const std::string machine = cpu == manifest.environment.end() ? "" : cpu->second;
  const std::string is_disturbed = disturbed(manifest, measured);
  std::vector<std::string> not_there;  // each reason once
  std::vector<answer::Question> questions;
  for (const platform::Platform& platform : platforms) {
    warn_of_memory(schedule.run, {}, placement, platform);
    std::string reason = elsewhere(manifest, platform.file);
    if (reason.empty()) reason = is_disturbed;
    if (!reason.empty() && std::ranges::find(not_there, reason) == not_there.end())
      not_there.push_back(reason);
    questions.push_back({.job = {.schedule = &schedule, .platform = &platform, .placement = &placement},
                         .closed_form = model::ClosedForm::as_published,
                         .counts = counts,
                         .measurement = &measured,
                         .not_measured = "it was recorded on one machine",
                         .recording = answer::Recording{
                             .trace = std::filesystem::path(name).filename().string(),
                             .machine = machine,
                             .oversubscribed = manifest.oversubscribed,
                             .elsewhere = as_recorded ? reason : "its ranks were placed otherwise"}});
  }
  const std::vector<answer::Answer> answers = evaluate_with_progress(questions, processes, replay_options);
  Comparison comparison;
  if (answers.size() > 1) comparison.tables.push_back(totals_of_recording(answers));
  output::Table table = phases_of_recording(answers);

  table.notes = {fmt::format("measured: {}; median of {} (iteration: first to last decile {} to {} ms)",
                             machine.empty() ? "the recorded run" : machine,
                             format_count(measured.iterations, "iteration"),
                             format_decimals(measured.iteration_low_s * 1e3, 3),
                             format_decimals(measured.iteration_high_s * 1e3, 3)),
                 simulated_note(replay_options), closed_form_note};
  for (const platform::Platform& platform : platforms)
    table.notes.push_back(platform_note(platform));
  table.notes.insert(
      table.notes.end(),
      {"A phase's time is its slowest rank's, so the phases need not add up to the iteration. Simulated, "
       "posting a "
       "receive costs nothing, and waiting for a message that has arrived costs nothing either.",
       "of it late: of the simulated time, waiting until partners had come."});
  if (pattern) std::ranges::move(pattern->notes(), std::back_inserter(table.notes));
  for (std::string& gap : policy::closed_form_gaps(schedule.run))
    table.notes.push_back(std::move(gap));
  std::ranges::move(policy::idle_ranks_notes({&schedule.run, 1}), std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes({&schedule.run, 1}, platforms), std::back_inserter(table.notes));
  std::ranges::move(unlike_nodes_notes(platforms), std::back_inserter(table.notes));
  std::ranges::move(derived_notes({&schedule.run, 1}, platform_options), std::back_inserter(table.notes));
  std::ranges::move(energy_notes(platforms, replay_options.energy), std::back_inserter(table.notes));
  std::ranges::move(not_there, std::back_inserter(table.notes));
  if (!as_recorded)
    table.notes.emplace_back("ranks on nodes: not as recorded, so the measured times enter no error figure");
  if (manifest.oversubscribed)
    table.notes.push_back(
        "oversubscribed: more ranks than cores, so the measured times enter no error figure");
  comparison.tables.push_back(std::move(table));
  add_waits_table(comparison.tables, answers, waits, replay_options);
  nlohmann::json page = report::overview_of(answers, 0, replay_options);
  page["problem"] = pattern ? pattern->title() : answers.front().question.recording->trace;
  comparison.page = report::text_of(page);
  add_noise_table(comparison.tables, questions, noise, replay_options, processes);
  return comparison;
}

}  // namespace finegrain::cli
