// SPDX-License-Identifier: MIT
#include "sim/answer/efficiency.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
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

/// What the ranks spend in a region, shape [ranks] each.
struct RegionOfRanks {
  std::vector<bool> calls;      ///< whether the rank calls there
  std::vector<double> work_s;   ///< before its calls
  std::vector<double> total_s;  ///< that, and in its calls

  explicit RegionOfRanks(std::size_t ranks = 0) : calls(ranks), work_s(ranks), total_s(ranks) {}
};
using RegionsOfRanks = std::map<std::string, RegionOfRanks>;

RegionsOfRanks regions_of(const replay::ReplayResult& simulated) {
  constexpr double rounding = 1e-9;  ///< a share of a rank's work; less does not come after the last call
  const std::size_t ranks = simulated.ranks.size();
  RegionsOfRanks regions;
  const auto region_of = [&](const std::string& name) -> RegionOfRanks& {
    return regions.try_emplace(name, ranks).first->second;
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const replay::RankReplay& of_rank = simulated.ranks[rank];
    double work_s = 0;
    double before_calls_s = 0;
    for (std::size_t r = 0; r < of_rank.phases_s.size(); ++r) {
      if (simulated.regions[rank][r] == work_region) {
        work_s += of_rank.phases_s[r];
        continue;
      }
      RegionOfRanks& region = region_of(simulated.regions[rank][r]);
      const double before_s = r < of_rank.work_before_s.size() ? of_rank.work_before_s[r] : 0;
      before_calls_s += before_s;
      region.calls[rank] = true;
      region.work_s[rank] += before_s;
      region.total_s[rank] += before_s + of_rank.phases_s[r];
    }
    const double after_s = work_s - before_calls_s;
    if (after_s <= rounding * work_s) continue;
    RegionOfRanks& after = region_of(after_last_call);
    after.calls[rank] = true;
    after.work_s[rank] = after.total_s[rank] = after_s;
  }
  return regions;
}

double sum(std::span<const double> seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// @param ideal  the same region where the network costs nothing
Efficiency efficiency_in(const RegionOfRanks& region, const RegionOfRanks& ideal) {
  std::vector<double> work_s;
  for (std::size_t rank = 0; rank < region.calls.size(); ++rank)
    if (region.calls[rank]) work_s.push_back(region.work_s[rank]);
  return efficiency_of(work_s, slowest_s(ideal.total_s), slowest_s(region.total_s));
}

std::vector<double> work_of(const replay::ReplayResult& simulated) {
  const replay::RegionSeconds seconds = region_seconds(simulated);
  const auto work = seconds.find(work_region);
  return work == seconds.end() ? std::vector<double>(simulated.ranks.size()) : work->second;
}

}  // namespace

std::optional<double> Efficiency::communication() const {
  if (factors) return factors->serialisation * factors->transfer;
  return takes_time ? std::optional(0.0) : std::nullopt;
}

std::optional<double> Efficiency::parallel() const {
  if (factors) return factors->load_balance * *communication();
  return communication();
}

Efficiency efficiency_of(std::span<const double> work_s, double ideal_s, double total_s) {
  const double most_s = slowest_s(work_s);
  Efficiency efficiency{.factors = {}, .takes_time = total_s > 0, .work_s = sum(work_s)};
  if (most_s > 0 && ideal_s > 0 && total_s > 0)
    efficiency.factors = {mean_s(work_s) / most_s, most_s / ideal_s, ideal_s / total_s};
  return efficiency;
}

LocatedEfficiency located_efficiency(const replay::ReplayResult& simulated,
                                     const replay::ReplayResult& ideal) {
  LocatedEfficiency located{efficiency_of(work_of(simulated), ideal.total_s, simulated.total_s), {}};
  const double all_s = simulated.total_s * static_cast<double>(simulated.ranks.size());
  if (all_s <= 0) return located;
  const RegionsOfRanks on_ideal = regions_of(ideal);
  double ended_s = all_s;
  for (const auto& [name, region] : regions_of(simulated)) {
    const double region_s = sum(region.total_s);
    if (region_s <= 0) continue;
    ended_s -= region_s;
    const auto known = on_ideal.find(name);
    const RegionOfRanks none(region.calls.size());
    located.regions.push_back(
        {.region = name,
         .ranks = static_cast<int>(std::ranges::count(region.calls, true)),
         .share = region_s / all_s,
         .lost = (region_s - sum(region.work_s)) / all_s,
         .efficiency = efficiency_in(region, known == on_ideal.end() ? none : known->second)});
  }
  located.regions.push_back({.region = ended_before_others,
                             .share = ended_s / all_s,
                             .lost = ended_s / all_s,
                             .efficiency = {.factors = {}, .takes_time = false}});
  std::ranges::stable_sort(located.regions, std::ranges::greater(), &RegionEfficiency::lost);
  return located;
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
  for (std::size_t i = 0; i < answers.size(); ++i)
    efficiencies.push_back(located_efficiency(*answers[i].simulated, ideal[i]));
  return efficiencies;
}

}  // namespace finegrain::answer
