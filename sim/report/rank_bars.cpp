// SPDX-License-Identifier: MIT
#include "sim/report/rank_bars.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "sim/graph/traffic.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/report/answers.hpp"

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

/// Each rank's time in a phase; 0 of a rank that does not have it.
/// @param phases_s  of a rank by its number, in the order of its regions
std::vector<double> times_of(const Schedule& schedule, const model::NumberedPhase& wanted,
                             const auto& phases_s) {
  std::vector<double> times;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<model::NumberedPhase> phases = model::numbered(schedule.ranks[rank].regions);
    const auto phase = static_cast<std::size_t>(std::ranges::find(phases, wanted) - phases.begin());
    times.push_back(phase < phases.size() ? phases_s(rank)[phase] : 0);
  }
  return times;
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

nlohmann::json rank_bars_of(const ReportRun& run, const replay::ReplayResult& simulated,
                            const std::optional<model::Prediction>& closed_form) {
  std::vector<RankTimes> times;
  const auto iterations = static_cast<double>(run.schedule.run.iterations);
  for (const model::NumberedPhase& phase : phases_of_ranks(run.schedule)) {
    std::vector<double> simulated_s = times_of(run.schedule, phase, [&](std::size_t rank) {
      return std::span<const double>(simulated.ranks[rank].phases_s);
    });
    for (double& time_s : simulated_s)
      time_s /= iterations;
    times.push_back({"simulated", phase.name(), std::move(simulated_s)});
    if (run.recorded) {
      times.push_back({"measured", phase.name(), times_of(run.schedule, phase, [&](std::size_t rank) {
                         return std::span<const double>(run.recorded->measurement.phases_s[rank]);
                       })});
    }
  }
  if (closed_form) {
    for (const auto& [part, of_ranks] : closed_form->parts) {
      const bool any = std::ranges::any_of(of_ranks, [](double time_s) { return time_s > 0; });
      if (any) times.push_back({"closed form", part_name(part), of_ranks});
    }
  }
  return rank_bars(times, graph::traffic_of(run.schedule, run.placement));
}

}  // namespace finegrain::report
