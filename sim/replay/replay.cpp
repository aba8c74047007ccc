// SPDX-License-Identifier: MIT
#include "sim/replay/replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/platform/profile.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/folding/folded_programs.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/check_schedule.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/reference/actor_simulation.hpp"
#include "sim/replay/self_scheduling/assign_tasks.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/manifest.hpp"

namespace finegrain::replay {

// For bytes.hpp.
auto parts_of(RankReplay& rank) {
  return std::tie(rank.finish_s, rank.phases_s, rank.phases_j, rank.waits, rank.awaited_s,
                  rank.work_before_s);
}
auto parts_of(EarlyEnd& end) {
  return std::tie(end.ranks, end.first_rank, end.first_s, end.waiting);
}
auto parts_of(ReplayResult& result) {
  return std::tie(result.total_s, result.simulated_iterations, result.repeats, result.repeat_change,
                  result.flows, result.unloaded, result.wildcards.count, result.wildcards.out_of_order,
                  result.tasks, result.waits_passed_over, result.ranks, result.regions, result.loops,
                  result.work, result.other_work_s, result.energy, result.unreceived, result.early_end);
}

namespace {

void check_durations(const ReplayJob& job) {
  if (job.durations == nullptr) return;
  bool matches = job.durations->size() == job.schedule->ranks.size();
  for (std::size_t rank = 0; matches && rank < job.durations->size(); ++rank)
    matches = (*job.durations)[rank].size() == job.schedule->ranks[rank].regions.size();
  if (!matches)
    throw InputError("durations", "not one for each rank and phase", "Take both from the same trace");
}

void check_platform(const platform::Platform& platform, const ReplayOptions& options) {
  if (platform.changes_over_time) platform::check_all_are_followed(platform.file);
  if (options.one_flow_per_message &&
      (platform.costs.eager_limit_bytes || platform.costs.buffered_limit_bytes)) {
    throw InputError(platform.file.string(),
                     "eager_limit or buffered_limit is given (with one SimGrid flow a message, no message "
                     "waits for its receiver, and a send is complete when its bytes have left)",
                     "Leave one of them out");
  }
  if (options.one_flow_per_message && !platform.network.empty() && platform.network != "shared") {
    throw InputError(
        platform.file.string(),
        fmt::format("network is {} (with one SimGrid flow a message, links are shared)", platform.network),
        "Leave one of them out");
  }
  if (options.one_flow_per_message &&
      !(platform.costs.latency_factors.empty() && platform.costs.bandwidth_factors.empty())) {
    throw InputError(platform.file.string(),
                     "latency_factors or bandwidth_factors are given (or smpi/lat-factor or smpi/bw-factor), "
                     "which are not followed with one SimGrid flow a message",
                     "Leave one of them out");
  }
  if (options.one_flow_per_message && !platform.routing.empty() && platform.routing != "minimal") {
    throw InputError(platform.file.string(),
                     fmt::format("routing is {} (with one SimGrid flow a message, SimGrid chooses the way)",
                                 platform.routing),
                     "Leave one of them out");
  }
  if (options.one_flow_per_message && keeps_order(platform.costs)) {
    throw InputError(platform.file.string(),
                     "replies, request_bytes, link_queues or connection_lead is given (with one SimGrid "
                     "flow a message, replies do not wait, and links are shared)",
                     "Leave one of them out");
  }
}

/// What differs from one iteration to the next is simulated in full.
bool is_in_full(const ReplayJob& job) {
  return job.noise != nullptr || job.platform->changes_over_time;
}

/// By the name of a region, shape [ranks] each.
std::map<std::string, std::vector<double>> sums_by_region(const ReplayResult& result,
                                                          std::vector<double> RankReplay::*phases) {
  std::map<std::string, std::vector<double>> sums;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const std::vector<double>& of_rank = result.ranks[rank].*phases;
    for (std::size_t region = 0; region < of_rank.size(); ++region) {
      std::vector<double>& of_ranks = sums[result.regions[rank][region]];
      of_ranks.resize(result.ranks.size(), 0);
      of_ranks[rank] += of_rank[region];
    }
  }
  return sums;
}

/// In a process that has not simulated before.
ReplayResult simulate(const ReplayJob& job, ReplayOptions options) {
  if (is_in_full(job)) options.repeat_tolerance = 0;
  if (options.one_flow_per_message) return simulate_with_actors(job, options);
  LoadedPlatform loaded = load_platform(job);
  ReplayResult as_recorded = simulate_flows(loaded, job, options);
  as_recorded.work = job.work;
  if (options.compares_work && std::ranges::any_of(as_recorded.loops, &FoldedLoop::varies)) {
    ReplayJob with_other = job;
    with_other.work = job.work == WorkTimes::as_recorded ? WorkTimes::undisturbed : WorkTimes::as_recorded;
    as_recorded.other_work_s = simulate_flows(loaded, with_other, options).total_s;
  }
  if (as_recorded.wildcards.count == 0 || job.keeps_tasks) return as_recorded;
  const auto as_given = assign_tasks(loaded, job, options);
  if (!as_given) return as_recorded;
  ReplayResult result = simulate_flows(loaded, as_given->job(job), options);
  result.wildcards.count = as_recorded.wildcards.count;
  result.tasks = as_given->given;
  return result;
}

}  // namespace

bool has_collectives(const Schedule& schedule) {
  return std::ranges::any_of(schedule.ranks.front().operations, [](const Operation& operation) {
    const auto* collective = std::get_if<Collective>(&operation);
    return collective != nullptr && *collective != Collective{};
  });
}

namespace {

/// @param checked  schedules of other jobs that need not be checked again
void check(const ReplayJob& job, const ReplayOptions& options, std::set<const Schedule*>& checked) {
  check_platform(*job.platform, options);
  if (job.noise != nullptr && options.one_flow_per_message)
    throw InputError("replay", "noise is simulated, and SimGrid simulates a flow a message",
                     "Leave one of them out");
  if (job.programs == nullptr) {
    if (checked.insert(job.schedule).second) check_schedule(*job.schedule);
    if (options.one_flow_per_message && has_collectives(*job.schedule))
      throw InputError("replay",
                       "the schedule has collective operations (SimGrid's flows have barriers only)",
                       "Leave one flow a message out");
    check_durations(job);
    return;
  }
  if (options.one_flow_per_message || job.durations != nullptr) {
    throw InputError("replay",
                     fmt::format("iterations differ from one another ({} only where they are alike)",
                                 options.one_flow_per_message ? "SimGrid simulates a flow a message"
                                                              : "recorded durations are replayed"),
                     "Leave that out");
  }
}

/// The jobs of the most ranks first, which take longest: begun last, they would go on alone.
std::vector<std::size_t> largest_first(const std::vector<ReplayJob>& jobs) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t job) { return jobs[job].schedule->run.ranks; });
  return order;
}

}  // namespace

void check(const ReplayJob& job, const ReplayOptions& options) {
  std::set<const Schedule*> checked;
  check(job, options, checked);
}

std::string describe(const FoldedLoop& loop) {
  if (!loop.is_sampled && loop.simulated == loop.iterations)
    return fmt::format("all {} of {} a rank were simulated, with the mean of the work between two calls",
                       format_count(loop.iterations, "iteration"), format_count(loop.calls, "call"));
  const std::string simulated =
      fmt::format("{} of {} of {} a rank were simulated", loop.simulated,
                  format_count(loop.iterations, "iteration"), format_count(loop.calls, "call"));
  if (!loop.is_sampled)
    return fmt::format("{}; the others repeat them, and the work between two calls is {}", simulated,
                       loop.is_usual ? "a rank's usual one" : "the mean of all");
  return fmt::format(
      "{} with their own times, and stand for all; the standard error of the total is {:.2g} s{}", simulated,
      loop.standard_error_s,
      loop.keeps_work ? ". Heavy work comes and goes on single ranks too often to be a disturbance "
                        "of the recording, so it stays as it was recorded"
                      : "");
}

WorkTimes usual_work(const Manifest& recording) {
  return recording.oversubscribed ? WorkTimes::undisturbed : WorkTimes::as_recorded;
}

std::string describe_variation(const ReplayResult& result) {
  if (result.work != WorkTimes::as_recorded && result.loops.empty())
    return "work is as it was recorded: no loop that all ranks have together was found, in which what comes "
           "and "
           "goes could be told from what lasts";
  if (!result.other_work_s || *result.other_work_s <= 0) return "";
  if (std::ranges::all_of(result.loops,
                          [](const FoldedLoop& loop) { return !loop.varies || loop.keeps_work; }) &&
      result.work == WorkTimes::undisturbed)
    return "";
  if (result.work == WorkTimes::undisturbed)
    return fmt::format(
        "undisturbed work: ranks shared cores while they were recorded, so what came and went on single "
        "ranks "
        "from iteration to iteration is left out. With each iteration as it was recorded, the total would be "
        "{:.4g} s, {:.2f} times as long (--work as-recorded)",
        *result.other_work_s, *result.other_work_s / result.total_s);
  if (result.work == WorkTimes::mean)
    return fmt::format(
        "mean work: each rank takes the mean of all iterations, and none waits for what comes and goes in "
        "others. With each iteration as it was recorded, the total would be {:.4g} s, {:.2f} times as long "
        "(--work as-recorded)",
        *result.other_work_s, *result.other_work_s / result.total_s);
  const double ratio = result.total_s / *result.other_work_s;
  return fmt::format(
      "work varies from iteration to iteration{}: the total is {:.2f} "
      "times the {:.4g} s that usual work and the network take (--work undisturbed)",
      ratio > 1 ? ", and ranks wait for the slowest of each" : "", ratio, *result.other_work_s);
}

std::string describe_work_of_every_call(const ReplayJob& job) {
  if (job.programs == nullptr || job.work == WorkTimes::as_recorded) return "";
  if (job.work == WorkTimes::mean)
    return "work is as it was recorded, because every call is simulated; elsewhere, it is the mean of all "
           "iterations";
  return "work is as it was recorded, because every call is simulated; elsewhere, what came and went on "
         "single "
         "ranks is left out, since ranks shared cores while they were recorded";
}

std::string describe(const EarlyEnd& end, double total_s) {
  std::string text = fmt::format(
      "the trace ends early (its run did not end by MPI_Finalize, or its recording stopped): the calls of "
      "rank {} end "
      "first, at "
      "{:.6g} "
      "s; simulated up to {:.6g} s",
      end.first_rank, end.first_s, total_s);
  if (!end.waiting.empty()) text += fmt::format("; waiting for what the trace lacks: {}", end.waiting);
  return text;
}

std::string describe_kept_calls(const ReplayResult& result) {
  constexpr std::array<std::string_view, 6> kept = {"MPI_File_",       "MPI_Comm_spawn",
                                                    "MPI_Comm_accept", "MPI_Comm_connect",
                                                    "MPI_Comm_join",   "MPI_Comm_disconnect"};
  constexpr double least_share = 0.01;
  std::set<std::string_view> functions;
  std::vector<double> of_ranks(result.ranks.size());
  const RegionSeconds regions = region_seconds(result);
  for (const auto& [name, seconds] : regions) {
    const std::string_view function = std::string_view(name).substr(0, name.find(' '));
    if (std::ranges::none_of(kept, [&](std::string_view one) { return function.starts_with(one); })) continue;
    functions.insert(function);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
      of_ranks[rank] += seconds[rank];
  }
  const auto most = std::ranges::max_element(of_ranks);
  if (functions.empty() || *most < least_share * result.total_s) return "";
  return fmt::format(
      "{} take{} the time that the recording has, {:.3g} s on rank {}, with whatever ranks waited for in "
      "{}: no platform changes it",
      fmt::join(functions, ", "), functions.size() == 1 ? "s" : "", *most, most - of_ranks.begin(),
      functions.size() == 1 ? "it" : "them");
}

std::string describe_wildcards(const ReplayResult& result) {
  if (result.tasks && result.tasks->tasks > 0)
    return fmt::format(
        "rank {} gives tasks to whoever sends first: of {}, {} went to another rank than in the recording. "
        "--keep-tasks leaves them where they were",
        result.tasks->master, format_count(result.tasks->tasks, "task"), result.tasks->moved);
  if (result.tasks)
    return fmt::format("rank {} receives from whoever sends first: {} of {} in another order than recorded",
                       result.tasks->master, result.tasks->other_order,
                       format_count(result.tasks->results, "message"));
  if (result.wildcards.count == 0) return "";
  return fmt::format(
      "receives from any source take the message that was recorded: {} of {} would have got another one "
      "first{}",
      result.wildcards.out_of_order, result.wildcards.count,
      result.wildcards.out_of_order > 0 ? ". If the program goes on in another way then, the simulated time "
                                          "is not valid for it"
                                        : "");
}

RegionSeconds region_seconds(const ReplayResult& result) {
  return sums_by_region(result, &RankReplay::phases_s);
}

RegionJoules region_joules(const ReplayResult& result) {
  return sums_by_region(result, &RankReplay::phases_j);
}

RegionSeconds region_late_seconds(const ReplayResult& result) {
  RegionSeconds seconds;
  for (const auto& [region, ranks] : region_waits(result))
    std::ranges::transform(ranks, std::back_inserter(seconds[region]), &Waits::late_s);
  return seconds;
}

RegionWaits region_waits(const ReplayResult& result) {
  RegionWaits sums;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const RankReplay& of_rank = result.ranks[rank];
    for (std::size_t region = 0; of_rank.waits.is_known() && region < of_rank.phases_s.size(); ++region) {
      std::vector<Waits>& of_ranks = sums[result.regions[rank][region]];
      of_ranks.resize(result.ranks.size());
      of_ranks[rank].add(of_rank.waits.of(region));
    }
  }
  return sums;
}

double sum_over_ranks(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::string_view network_model(const ReplayOptions& options) {
  return options.one_flow_per_message
             ? "CM02, max-min shares, one SimGrid flow a message, latency added per message, no crosstraffic"
             : "CM02, max-min shares, messages of one route in one flow, latency added per message, no "
               "crosstraffic";
}

ReplayResult replay(const Schedule& schedule, const platform::Platform& platform,
                    const ReplayOptions& options, const problem::Placement* placement) {
  return replay_all({{.schedule = &schedule, .platform = &platform, .placement = placement}}, 1, options)
      .front();
}

ReplayResult replay_here(const ReplayJob& job, const ReplayOptions& options) {
  check(job, options);
  std::optional<FoldedPrograms> folded;
  if (job.programs != nullptr && !is_in_full(job)) folded = fold(*job.programs, options);
  ReplayJob whole = job;
  if (folded) whole.folded = &*folded;
  return simulate(whole, options);
}

std::vector<ReplayResult> replay_all(const std::vector<ReplayJob>& all_jobs, int processes,
                                     const ReplayOptions& options,
                                     const std::function<void(std::size_t)>& finished) {
  std::set<const Schedule*> checked;
  for (const ReplayJob& job : all_jobs)
    check(job, options, checked);
  std::vector<ReplayJob> jobs = all_jobs;
  std::map<const Programs*, std::optional<FoldedPrograms>> folded;
  for (ReplayJob& job : jobs) {
    if (job.programs == nullptr || is_in_full(job)) continue;
    const auto [known, is_new] = folded.try_emplace(job.programs);
    if (is_new) known->second = fold(*job.programs, options);
    if (known->second) job.folded = &*known->second;
  }
  std::vector<ReplayResult> results(jobs.size());
  std::size_t done = 0;
  const std::vector<std::size_t> order = largest_first(jobs);
  forked<ReplayResult>(
      jobs.size(), processes, [&](std::size_t place) { return simulate(jobs[order[place]], options); },
      [&](std::size_t place, ReplayResult result) {
        results[order[place]] = std::move(result);
        if (finished) finished(++done);
      },
      {}, options.kept.get());
  return results;
}

}  // namespace finegrain::replay
