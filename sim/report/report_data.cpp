// SPDX-License-Identifier: MIT
#include "sim/report/report_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "sim/answer/evaluate.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/output/json_tables.hpp"
#include "sim/policy/closed_form.hpp"
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

/// The places of things that occur several times, each thing once, in the order in which it first occurs.
template <typename Thing>
std::size_t place_of(std::vector<Thing>& known, Thing thing) {
  const auto place = std::ranges::find(known, thing) - known.begin();
  if (place == std::ssize(known)) known.push_back(thing);
  return static_cast<std::size_t>(place);
}

/// The run of each schedule once: recorded ones, then the others by their ranks.
std::vector<const answer::Answer*> runs_of(std::span<const answer::Answer> answers) {
  std::vector<const Schedule*> schedules;
  std::vector<const answer::Answer*> runs;
  for (const answer::Answer& answer : answers)
    if (place_of(schedules, answer.question.job.schedule) == runs.size()) runs.push_back(&answer);
  std::ranges::stable_sort(runs, {}, [](const answer::Answer* answer) {
    return answer->question.recording ? 0 : answer->run().ranks;
  });
  return runs;
}

nlohmann::json run_of(const answer::Answer& answer) {
  nlohmann::json json = run_data(answer.run(), *answer.question.job.placement);
  if (const std::optional<answer::Recording>& recording = answer.question.recording)
    json["recorded"] = {{"trace", recording->trace},
                        {"machine", recording->machine},
                        {"iterations", answer.question.measurement->iterations},
                        {"oversubscribed", recording->oversubscribed},
                        {"elsewhere", recording->elsewhere}};
  return json;
}

/// The focus run with other BLOCKSIZEs, and the schedules of those that are simulated.
struct BlockSizes {
  std::vector<policy::Variant> variants;  ///< those of BlockSizeRun::formulas
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

BlockSizes block_sizes_of(const replay::ReplayJob& job, const pattern::Pattern* pattern) {
  BlockSizes sizes;
  const Run& focus = job.schedule->run;
  if (pattern == nullptr || !focus.problem.settings.contains(block_size_setting)) return sizes;
  constexpr std::size_t most_simulated = 4;
  sizes.variants = variants_beside(focus);
  sizes.runs = with_other_block_sizes(focus, *pattern, *job.placement, sizes.variants);
  for (auto size = sizes.runs.rbegin(); size != sizes.runs.rend(); ++size) {
    if (sizes.schedules.size() == most_simulated || size->messages > most_messages_of_a_point) break;
    Run run = size->run;
    run.iterations = std::min(run.iterations, iterations_of_a_point);
    sizes.schedules.push_back(policy::make_schedule(*pattern, run));
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

void add_timeline(nlohmann::json& data, const replay::ReplayJob& job, const replay::ReplayOptions& options) {
  constexpr std::int64_t most_iterations = 2;
  const std::int64_t iterations = std::min(job.schedule->run.iterations, most_iterations);
  const replay::Timeline timeline =
      replay_timeline(*job.schedule, *job.platform, iterations, options, job.placement);
  data["timeline"] = timeline_data(timeline, *job.schedule, iterations);
  data["critical_path"] = critical_path_data(timeline, *job.schedule);
  data["links"] = links_data(timeline.links, timeline.makespan_s);
}

void add_formula(nlohmann::json& data, const replay::ReplayJob& job, const BlockSizes& sizes) {
  const Run& focus = job.schedule->run;
  const bool needs_no_counts = pattern::pattern_kind(focus).has_own_formula();
  if (needs_no_counts) {
    const model::Formula formula =
        policy::formula_of(focus, {}, model::ClosedForm::as_published, *job.placement);
    data["formula"] = formula_data({{focus, 0, {formula}}}, 0, focus, *job.platform, *job.placement);
  } else if (policy::has_closed_form(focus) && !sizes.runs.empty()) {
    const auto own = std::ranges::find(sizes.variants, focus.policy, &policy::Variant::policy);
    data["formula"] = formula_data(sizes.runs, static_cast<std::size_t>(own - sizes.variants.begin()), focus,
                                   *job.platform, *job.placement);
  }
}

}  // namespace

nlohmann::json run_data(const Run& run, const problem::Placement& placement) {
  nlohmann::json json = {{"name", describe(run)},
                         {"ranks", run.ranks},
                         {"ranks_per_node", run.ranks_per_node},
                         {"nodes", placement.nodes()},
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

nlohmann::json overview_of(std::span<const answer::Answer> answers, std::size_t focus,
                           const replay::ReplayOptions& options) {
  const std::vector<const answer::Answer*> runs = runs_of(answers);
  const auto run_of_answer = [&](const answer::Answer& answer) {
    return std::ranges::find(runs, answer.question.job.schedule,
                             [](const answer::Answer* one) { return one->question.job.schedule; }) -
           runs.begin();
  };
  nlohmann::json data = {{"network_model", network_model(options)}, {"focus", run_of_answer(answers[focus])}};
  for (const answer::Answer* run : runs)
    data["runs"].push_back(run_of(*run));
  std::vector<const platform::Platform*> platforms;
  for (const answer::Answer& answer : answers) {
    nlohmann::json& json = data["answers"].emplace_back(answer_of(answer));
    json["run"] = run_of_answer(answer);
    json["platform"] = place_of(platforms, answer.question.job.platform);
  }
  data["focus_platform"] = place_of(platforms, answers[focus].question.job.platform);
  for (const platform::Platform* platform : platforms)
    data["platforms"].push_back(platform_data(*platform));
  data["totals"] = totals_of(answers);
  return data;
}

std::size_t largest_of(std::span<const answer::Question> questions) {
  const auto largest = std::ranges::max_element(questions, {}, [](const answer::Question& question) {
    return std::pair(question.job.schedule->run.ranks, question.recording.has_value());
  });
  return static_cast<std::size_t>(largest - questions.begin());
}

nlohmann::json report_data(std::vector<answer::Question> questions, std::size_t focus,
                           const pattern::Pattern* pattern, int processes,
                           const replay::ReplayOptions& options,
                           const std::function<void(std::size_t, std::size_t)>& simulated) {
  const replay::ReplayJob job = questions[focus].job;
  const BlockSizes sizes = block_sizes_of(job, pattern);
  const std::size_t of_runs = questions.size();
  for (const Schedule& schedule : sizes.schedules)
    questions.push_back(
        {.job = {.schedule = &schedule, .platform = job.platform, .placement = job.placement}});
  const std::vector<answer::Answer> all = answer::evaluate(
      questions, processes, options, [&](std::size_t finished) { simulated(finished, questions.size()); });
  const std::span<const answer::Answer> answers = std::span(all).first(of_runs);
  nlohmann::json data = overview_of(answers, focus, options);
  data["runs"][data["focus"].get<std::size_t>()]["nodes_of_ranks"] = nodes_of_ranks(*job.placement);
  data["rank_bars"] = rank_bars_of(answers[focus]);
  data["communication"] = communication_of(*job.schedule);
  if (!sizes.runs.empty())
    data["block_sizes"] = curves_of(sizes, *job.platform, *job.placement, std::span(all).subspan(of_runs));
  if (replay::has_timeline(*job.platform)) add_timeline(data, job, options);
  add_formula(data, job, sizes);
  return data;
}

}  // namespace finegrain::report
