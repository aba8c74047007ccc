// SPDX-License-Identifier: MIT
#include "sim/cli/jobs_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sim/answer/quantities.hpp"
#include "sim/cli/jobs_on_nodes.hpp"
#include "sim/cli/progress.hpp"
#include "sim/replay/noise.hpp"
#include "sim/report/jobs_report.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/quantile.hpp"

namespace finegrain::cli {
namespace {

platform::Platform one_platform(const PlatformOptions& options) {
  const std::vector<platform::Platform> platforms = read_platforms(options);
  if (platforms.size() != 1)
    throw InputError("--platform", "the jobs run on one machine", "Give one platform");
  return platforms.front();
}

/// Notes of a table and of a page.
std::vector<std::string> notes_of(const JobsOnNodes& ready, const replay::ReplayOptions& replay) {
  std::vector<std::string> notes;
  for (std::size_t j = 0; j < ready.texts.size(); ++j)
    notes.push_back(fmt::format("job {}: {}", j + 1, ready.texts[j]));
  notes.emplace_back(
      "start: after the simulation's; alone and together: from its start to its last rank's end");
  notes.emplace_back(
      "alone: on the same nodes. Jobs share links, and the memory of a node that several have");
  notes.push_back(fmt::format("Network: {}; every iteration is simulated", network_model(replay)));
  std::ranges::copy(ready.notes, std::back_inserter(notes));
  return notes;
}

output::Table table_of(const JobsOnNodes& ready, const std::vector<answer::Answer>& answers) {
  output::Table table =
      answer::table_of(answers, {{"ranks", "start_s", "alone_s", "together_s", "slow_down"}});
  table.name = "jobs";
  table.title = fmt::format("{} on {}: simulated seconds of each, alone and beside the others",
                            format_count(ready.jobs.size(), "job"), ready.jobs.front().job.platform->name);
  table.columns.insert(table.columns.begin(), {{"job", "job"}, {"what", "what"}, {"nodes", "nodes"}});
  for (std::size_t j = 0; j < answers.size(); ++j)
    table.rows[j].insert(table.rows[j].begin(),
                         {static_cast<std::int64_t>(j + 1), describe(answers[j].run()), ready.nodes[j]});
  return table;
}

/// The answers of all jobs, once for each seed. Shape [seeds][jobs]
using NoisyAnswers = std::vector<std::vector<answer::Answer>>;

/// Medians over the seeds, in the rows of table_of().
void add_noise(output::Table& table, const NoisyAnswers& noisy, const NoiseOptions& options,
               const replay::Noise& noise) {
  for (const std::string_view name : {"alone_s", "together_s", "slow_down"}) {
    output::Column column = answer::column_of(answer::quantity(name));
    column.key = "noisy_" + column.key;
    column.heading = "noisy " + column.heading;
    table.columns.push_back(std::move(column));
    for (std::size_t j = 0; j < table.rows.size(); ++j) {
      std::vector<double> values;
      for (const std::vector<answer::Answer>& answers : noisy)
        if (const auto value = answer::number_of(answers[j], name)) values.push_back(*value);
      table.rows[j].push_back(values.empty() ? output::Cell() : output::Cell(quantile(values, 0.5)));
    }
  }
  table.notes.push_back(noise_note(options, noise));
  table.notes.push_back(
      fmt::format("noisy: medians of {}, seeds {} to {}; a rank's core has the same noise alone and together",
                  format_count(options.runs, "simulation"), options.seed,
                  options.seed + static_cast<std::uint64_t>(options.runs) - 1));
}

}  // namespace

output::Table compare_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                           const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                           int processes, const NoiseOptions& noise_options) {
  std::optional<replay::Noise> noise;
  if (!noise_options.noise.empty()) noise = replay::parse_noise(noise_options.noise, "--noise");
  const std::size_t seeds = noise ? static_cast<std::size_t>(noise_options.runs) : 0;
  output::Table table;
  with_jobs_on_nodes(texts, {}, program, one_platform(platform_options), platform_options,
                     [&](const JobsOnNodes& ready) {
                       const std::size_t of_seed = ready.jobs.size() + 1;
                       Progress progress("simulating", of_seed * (seeds + 1));
                       std::size_t before = 0;
                       const auto show = [&](std::size_t finished) { progress.show(before + finished); };
                       const std::vector<answer::Answer> answers =
                           answer::evaluate_side_by_side(ready.jobs, processes, replay, show);
                       NoisyAnswers noisy;
                       for (std::size_t run = 0; run < seeds; ++run) {
                         before += of_seed;
                         noisy.push_back(answer::evaluate_side_by_side(ready.jobs, processes, replay, show,
                                                                       &*noise, noise_options.seed + run));
                       }
                       progress.clear();
                       table = table_of(ready, answers);
                       table.notes = notes_of(ready, replay);
                       if (noise) add_noise(table, noisy, noise_options, *noise);
                       if (const std::string kept = answer::describe_kept_tasks(answers); !kept.empty())
                         table.notes.push_back(kept);
                     });
  return table;
}

nlohmann::json report_of_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                              const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                              int processes) {
  nlohmann::json data;
  with_jobs_on_nodes(
      texts, {}, program, one_platform(platform_options), platform_options, [&](const JobsOnNodes& ready) {
        Progress progress("simulating", ready.jobs.size() + 1);
        data = report::jobs_report_data(
            {.jobs = ready.jobs,
             .answers = answer::evaluate_side_by_side(ready.jobs, processes, replay,
                                                      [&](std::size_t finished) { progress.show(finished); }),
             .nodes = ready.nodes,
             .replay = replay,
             .notes = notes_of(ready, replay)});
        progress.clear();
      });
  return data;
}

}  // namespace finegrain::cli
