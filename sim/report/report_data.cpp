// SPDX-License-Identifier: MIT
#include "sim/report/report_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/answer/evaluate.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/output/json_tables.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/variant.hpp"
#include "sim/report/answers.hpp"
#include "sim/report/block_sizes.hpp"
#include "sim/report/communication.hpp"
#include "sim/report/formula_data.hpp"
#include "sim/report/rank_bars.hpp"
#include "sim/report/timeline_data.hpp"

namespace finegrain::report {
namespace {

/// The platforms on which runs are simulated, and after them the one of recorded runs.
std::vector<const platform::Platform*> platforms_of(const ReportInput& input) {
  std::vector<const platform::Platform*> platforms;
  for (const platform::Platform& platform : input.platforms)
    platforms.push_back(&platform);
  if (input.recorded_on) platforms.push_back(&*input.recorded_on);
  return platforms;
}

/// One run on one platform, as indices into runs and platforms_of().
struct RunAndPlatform {
  std::size_t run = 0;
  std::size_t platform = 0;
};

std::vector<RunAndPlatform> all_pairs_of(const ReportInput& input) {
  const std::size_t recorded_on = input.recorded_on ? input.platforms.size() : 0;
  std::vector<RunAndPlatform> pairs;
  for (std::size_t platform = 0; platform < platforms_of(input).size(); ++platform) {
    for (std::size_t run = 0; run < input.runs.size(); ++run) {
      const std::vector<std::size_t>& its_own = input.runs[run].platforms;
      const bool is_its_own = platform < input.platforms.size() &&
                              (its_own.empty() || std::ranges::find(its_own, platform) != its_own.end());
      const bool here = input.runs[run].recorded ? platform == recorded_on : is_its_own;
      if (here) pairs.push_back({run, platform});
    }
  }
  return pairs;
}

nlohmann::json to_json(const ReportRun& report_run) {
  nlohmann::json json = run_data(report_run.schedule.run, report_run.placement);
  if (report_run.recorded) {
    json["recorded"] = {{"trace", report_run.recorded->trace},
                        {"machine", report_run.recorded->machine},
                        {"iterations", report_run.recorded->measurement.iterations},
                        {"oversubscribed", report_run.recorded->oversubscribed},
                        {"elsewhere", report_run.recorded->elsewhere}};
  }
  return json;
}

/// The focus run with other BLOCKSIZEs, and the schedules of those that are simulated.
struct BlockSizes {
  std::vector<policy::Variant> variants;  ///< of BlockSizeRun::formulas
  std::vector<BlockSizeRun> runs;
  std::vector<Schedule> schedules;  ///< the focus run's policy
};

/// A point of a curve is not simulated if it has more messages than this in an iteration.
constexpr std::int64_t most_messages_of_a_point = 100'000;
/// Iterations of a point: enough for three digits of the mean, and few, because there are many points.
constexpr std::int64_t iterations_of_a_point = 8;

/// The run's own variant, and the first variant of every other policy that has equations.
std::vector<policy::Variant> variants_beside(const Run& run) {
  std::vector<policy::Variant> all;
  for (const policy::Policy* each : policy::policies()) {
    const std::vector<policy::Variant> known = each->variants(pattern::pattern_kind(run));
    if (known.empty() || !each->has_formula()) continue;
    if (!each->is_candidate() && each->name() != run.policy) continue;
    all.push_back(each->name() == run.policy ? policy::variant_of(run) : known.front());
  }
  return all;
}

BlockSizes block_sizes_of(const ReportInput& input) {
  BlockSizes sizes;
  const Run& focus = input.runs[input.focus].schedule.run;
  if (!input.pattern || !focus.problem.settings.contains(block_size_setting)) return sizes;
  constexpr std::size_t most_simulated = 4;
  sizes.variants = variants_beside(focus);
  sizes.runs =
      with_other_block_sizes(focus, *input.pattern, input.runs[input.focus].placement, sizes.variants);
  for (auto size = sizes.runs.rbegin(); size != sizes.runs.rend(); ++size) {
    if (sizes.schedules.size() == most_simulated || size->messages > most_messages_of_a_point) break;
    Run run = size->run;
    run.iterations = std::min(run.iterations, iterations_of_a_point);
    sizes.schedules.push_back(policy::make_schedule(*input.pattern, run));
  }
  return sizes;
}

nlohmann::json curves_of(const BlockSizes& sizes, const platform::Platform& platform,
                         const problem::Placement& placement, std::span<const answer::Answer> answers) {
  nlohmann::json curves = {{"policies", nlohmann::json::array()},
                           {"points", nlohmann::json::array()},
                           {"most_messages_simulated", most_messages_of_a_point},
                           {"most_iterations_simulated", iterations_of_a_point}};
  for (const policy::Variant& variant : sizes.variants)
    curves["policies"].push_back(variant.policy);
  for (const BlockSizeRun& size : sizes.runs) {
    nlohmann::json point = {{"block_size", number_of(size.run.problem, block_size_setting, 1)}};
    const model::Hardware hardware = model::hardware_of(size.run, placement, platform.costs);
    for (const model::Formula& formula : size.formulas)
      point["closed_form_s"].push_back(evaluate(formula, placement, hardware).total_s);
    for (std::size_t i = 0; i < sizes.schedules.size(); ++i) {
      const Run& run = sizes.schedules[i].run;
      if (run.problem == size.run.problem)
        point["simulated_s"] = answers[i].simulated->total_s / static_cast<double>(run.iterations);
    }
    curves["points"].push_back(std::move(point));
  }
  return curves;
}

void add_timeline(nlohmann::json& data, const ReportRun& run, const platform::Platform& platform,
                  const replay::ReplayOptions& options) {
  constexpr std::int64_t iterations = 2;
  const Schedule& schedule = run.schedule;
  const replay::Timeline timeline = replay_timeline(schedule, platform, iterations, options, &run.placement);
  data["timeline"] = timeline_data(timeline, schedule, iterations);
  data["critical_path"] = critical_path_data(timeline, schedule);
  data["links"] = links_data(timeline.links, timeline.makespan_s);
}

}  // namespace

nlohmann::json run_data(const Run& run, const problem::Placement& placement) {
  nlohmann::json json = {{"name", describe(run)},
                         {"ranks", run.ranks},
                         {"ranks_per_node", run.ranks_per_node},
                         {"nodes", placement.nodes()},
                         {"nodes_of_ranks", nodes_of_ranks(placement)},
                         {"threads_per_rank", run.threads_per_rank},
                         {"iterations", run.iterations}};
  if (run.problem.settings.contains(block_size_setting))
    json["block_size"] = number_of(run.problem, block_size_setting, 1);
  return json;
}

nlohmann::json platform_data(const platform::Platform& platform) {
  const platform::PlatformCosts& costs = platform.costs;
  nlohmann::json json = {
      {"name", platform.name},
      {"memory_bandwidth_bytes_per_s", costs.memory_bandwidth_bytes_per_s},
      {"memory_bandwidth_per_core_bytes_per_s", costs.memory_bandwidth_per_core_bytes_per_s},
      {"cache_line_bytes", costs.cache_line_bytes}};
  if (costs.tau_s) json["tau_s"] = *costs.tau_s;
  json["call_s"] = costs.call_s;
  json["search_step_s"] = costs.search_step_s;
  json["shared_pointer_access_s"] = costs.shared_pointer_access_s;
  json["affinity_test_s"] = costs.affinity_test_s;
  if (costs.remote_bandwidth_bytes_per_s)
    json["remote_bandwidth_bytes_per_s"] = *costs.remote_bandwidth_bytes_per_s;
  return json;
}

nlohmann::json totals_of(std::span<const answer::Answer> answers) {
  return output::json_of(answer::table_of(answers, {{"bytes_between_nodes", "j_per_iteration", "mean_w"}}));
}

nlohmann::json report_data(const ReportInput& input,
                           const std::function<void(std::size_t, std::size_t)>& simulated) {
  const std::vector<RunAndPlatform> pairs = all_pairs_of(input);
  const BlockSizes sizes = block_sizes_of(input);
  const std::vector<const platform::Platform*> platforms = platforms_of(input);
  const RunAndPlatform focused = *std::ranges::find(pairs, input.focus, &RunAndPlatform::run);
  const platform::Platform& focus_platform = *platforms[focused.platform];
  std::vector<answer::Question> questions;
  for (const RunAndPlatform& pair : pairs) {
    const ReportRun& run = input.runs[pair.run];
    questions.push_back({.job = {.schedule = &run.schedule,
                                 .platform = platforms[pair.platform],
                                 .placement = &run.placement},
                         .closed_form = model::ClosedForm::as_published,
                         .counts = run.counts,
                         .measurement = run.recorded ? &run.recorded->measurement : nullptr});
  }
  const ReportRun& focus_run = input.runs[input.focus];
  for (const Schedule& schedule : sizes.schedules)
    questions.push_back(
        {.job = {.schedule = &schedule, .platform = &focus_platform, .placement = &focus_run.placement}});
  const std::vector<answer::Answer> answers =
      answer::evaluate(questions, input.jobs, input.replay,
                       [&](std::size_t finished) { simulated(finished, questions.size()); });

  nlohmann::json data = {{"problem", input.problem},
                         {"network_model", network_model(input.replay)},
                         {"focus", input.focus},
                         {"focus_platform", focused.platform}};
  std::vector<Run> runs;
  for (const ReportRun& run : input.runs) {
    data["runs"].push_back(to_json(run));
    runs.push_back(run.schedule.run);
  }
  data["notes"] = input.notes;
  for (const std::string& note : policy::idle_ranks_notes(runs))
    data["notes"].push_back(note);
  for (const platform::Platform* platform : platforms)
    data["platforms"].push_back(platform_data(*platform));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    nlohmann::json answer = answer_of(answers[i]);
    answer["run"] = pairs[i].run;
    answer["platform"] = pairs[i].platform;
    data["answers"].push_back(std::move(answer));
    if (pairs[i].run == input.focus && pairs[i].platform == focused.platform)
      data["rank_bars"] = rank_bars_of(answers[i]);
  }
  data["totals"] = totals_of(std::span(answers).first(pairs.size()));
  data["communication"] = communication_of(focus_run.schedule);
  if (!sizes.runs.empty())
    data["block_sizes"] =
        curves_of(sizes, focus_platform, focus_run.placement, std::span(answers).subspan(pairs.size()));
  if (!focus_platform.changes_over_time) add_timeline(data, focus_run, focus_platform, input.replay);
  const Run& focus = focus_run.schedule.run;
  const bool needs_no_counts = pattern::pattern_kind(focus).has_own_formula();
  if (needs_no_counts) {
    const model::Formula formula =
        policy::formula_of(focus, {}, model::ClosedForm::as_published, focus_run.placement);
    data["formula"] = formula_data({{focus, 0, {formula}}}, 0, focus, focus_platform, focus_run.placement);
  } else if (policy::has_closed_form(focus) && !sizes.runs.empty()) {
    const auto own = std::ranges::find(sizes.variants, focus.policy, &policy::Variant::policy);
    data["formula"] = formula_data(sizes.runs, static_cast<std::size_t>(own - sizes.variants.begin()), focus,
                                   focus_platform, focus_run.placement);
  }
  return data;
}

}  // namespace finegrain::report
