// SPDX-License-Identifier: MIT
#include "sim/answer/efficiency.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "sim/answer/regions.hpp"
#include "sim/platform/scaled_links.hpp"

namespace finegrain::answer {
namespace {

constexpr double without_limit = 1e9;  ///< a factor

const platform::LinkFactors ideal_links{.bandwidth = without_limit, .latency = 1 / without_limit};

/// The platform with a network that costs nothing, but for its links. Work of recorded programs takes
/// seconds, so that the bandwidth of memory is only that of messages within a node.
platform::Platform with_ideal_network(platform::Platform platform) {
  platform::PlatformCosts& costs = platform.costs;
  costs.message_overhead_s = 0;
  costs.local_latency_s = 0;
  costs.memory_bandwidth_bytes_per_s *= without_limit;
  costs.memory_bandwidth_per_core_bytes_per_s *= without_limit;
  costs.unregistered_bandwidth_bytes_per_s.reset();
  costs.tcp_window_bytes.reset();
  costs.connection_lead_bytes = 0;
  return platform;
}

constexpr const char* work_region = "compute";
constexpr const char* ended = "ended before others";

/// The mean of the ranks of what each region but work takes; and of the time after a rank's end.
std::map<std::string, double> mean_regions_s(const replay::ReplayResult& simulated) {
  std::map<std::string, double> means;
  double ended_s = simulated.total_s;
  for (const auto& [region, ranks_s] : region_seconds(simulated)) {
    const double region_s = mean_s(ranks_s);
    ended_s -= region_s;
    if (region != work_region) means[region] = region_s;
  }
  means[ended] = ended_s;
  return means;
}

std::vector<RegionLoss> losses_of(const replay::ReplayResult& simulated, const replay::ReplayResult& ideal) {
  std::map<std::string, double> on_ideal_s = mean_regions_s(ideal);
  std::vector<RegionLoss> losses;
  for (const auto& [region, region_s] : mean_regions_s(simulated)) {
    const double ideal_s = on_ideal_s[region];
    if (region_s == 0 && ideal_s == 0) continue;
    losses.push_back({region, ideal_s / simulated.total_s, (region_s - ideal_s) / simulated.total_s});
  }
  std::ranges::stable_sort(losses, std::ranges::greater(), &RegionLoss::all);
  return losses;
}

}  // namespace

Efficiency efficiency_of(std::span<const double> work_s, double ideal_s, double total_s) {
  const double most_s = slowest_s(work_s);
  const double all_s = mean_s(work_s) * static_cast<double>(work_s.size());
  if (most_s <= 0 || ideal_s <= 0 || total_s <= 0) return {1, most_s <= 0 ? 0.0 : 1.0, 1, all_s};
  return {mean_s(work_s) / most_s, most_s / ideal_s, ideal_s / total_s, all_s};
}

std::vector<LocatedEfficiency> efficiencies_of(std::span<const Answer> answers, int processes,
                                               const replay::ReplayOptions& options,
                                               const std::function<void(std::size_t)>& finished) {
  std::deque<platform::ScaledPlatform> platforms;
  std::vector<replay::ReplayJob> jobs;
  for (const Answer& answer : answers) {
    jobs.push_back(answer.question.job);
    jobs.back().platform =
        &platforms.emplace_back(with_ideal_network(*jobs.back().platform), ideal_links).platform();
  }
  const std::vector<replay::ReplayResult> ideal = replay::replay_all(jobs, processes, options, finished);
  std::vector<LocatedEfficiency> efficiencies;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const replay::RegionSeconds seconds = region_seconds(*answers[i].simulated);
    const auto work = seconds.find(work_region);
    const std::vector<double> none(answers[i].simulated->ranks.size());
    efficiencies.push_back({efficiency_of(work == seconds.end() ? none : work->second, ideal[i].total_s,
                                          answers[i].simulated->total_s),
                            losses_of(*answers[i].simulated, ideal[i])});
  }
  return efficiencies;
}

}  // namespace finegrain::answer
