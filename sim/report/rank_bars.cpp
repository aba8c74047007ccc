// SPDX-License-Identifier: MIT
#include "sim/report/rank_bars.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/answer/regions.hpp"
#include "sim/graph/traffic.hpp"

namespace finegrain::report {
namespace {

/// Least, mean and most of each group, shape [groups][3].
nlohmann::json grouped(const std::vector<double>& of_ranks, std::size_t ranks_per_bar) {
  auto groups = nlohmann::json::array();
  for (std::size_t first = 0; first < of_ranks.size(); first += ranks_per_bar) {
    const auto begin = of_ranks.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        of_ranks.begin() + static_cast<std::ptrdiff_t>(std::min(of_ranks.size(), first + ranks_per_bar));
    double sum = 0;
    for (auto value = begin; value != end; ++value)
      sum += *value;
    groups.push_back({*std::min_element(begin, end), sum / static_cast<double>(end - begin),
                      *std::max_element(begin, end)});
  }
  return groups;
}

template <class Rank>
std::vector<double> of_each(const std::vector<Rank>& ranks, const auto& value) {
  std::vector<double> values;
  for (const Rank& rank : ranks)
    values.push_back(static_cast<double>(value(rank)));
  return values;
}

std::string part_name(const std::string& part) {
  return part == "local" ? "messages within the node" : part == "remote" ? "messages between nodes" : part;
}

}  // namespace

nlohmann::json rank_bars(const std::vector<RankTimes>& times, const std::vector<graph::RankTraffic>& traffic,
                         int most_bars) {
  std::size_t ranks_per_bar = 1;
  while (traffic.size() > ranks_per_bar * static_cast<std::size_t>(most_bars))
    ranks_per_bar *= 2;
  auto bars = nlohmann::json::array();
  for (const RankTimes& time : times)
    bars.push_back(
        {{"source", time.source}, {"name", time.name}, {"seconds", grouped(time.ranks_s, ranks_per_bar)}});
  const auto bytes = [&](pattern::Volume graph::RankTraffic::*volume) {
    return grouped(of_each(traffic, [&](const graph::RankTraffic& rank) { return (rank.*volume).bytes; }),
                   ranks_per_bar);
  };
  return {{"ranks_per_bar", ranks_per_bar},
          {"times", std::move(bars)},
          {"volumes",
           {{"in_local", bytes(&graph::RankTraffic::in_local)},
            {"in_remote", bytes(&graph::RankTraffic::in_remote)},
            {"out_local", bytes(&graph::RankTraffic::out_local)},
            {"out_remote", bytes(&graph::RankTraffic::out_remote)}}}};
}

nlohmann::json rank_bars_of(const answer::Answer& answer) {
  std::vector<RankTimes> times;
  for (answer::RegionTimes& region : region_times(answer)) {
    times.push_back({"simulated", region.region.name(), std::move(region.simulated_s)});
    if (answer.question.measurement != nullptr)
      times.push_back({"measured", region.region.name(), std::move(region.measured_s)});
  }
  if (answer.closed_form) {
    for (const auto& [part, of_ranks] : answer.closed_form->parts) {
      const bool any = std::ranges::any_of(of_ranks, [](double time_s) { return time_s > 0; });
      if (any) times.push_back({"closed form", part_name(part), of_ranks});
    }
  }
  return rank_bars(times, graph::traffic_of(*answer.question.job.schedule, *answer.question.job.placement));
}

}  // namespace finegrain::report
