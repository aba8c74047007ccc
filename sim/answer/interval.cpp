// SPDX-License-Identifier: MIT
#include "sim/answer/interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/answer/regions.hpp"

namespace finegrain::answer {
namespace {

// What tests/testbed/discrepancies and tests/recorder/measure_shared_cores printed (docs/intervals.md
// has both).
constexpr std::string_view testbed = "the testbed, at 25, 40 and 75 Mbit/s";
constexpr std::string_view shared_cores = "nine programs, two shared virtual cores";
constexpr Discrepancy bytes{0.964, 1.065, 303, "bytes over links", testbed};
constexpr Discrepancy in_turn{0.827, 1.790, 72, "puts and gets in turn", testbed};
constexpr Discrepancy latencies{0.540, 6.916, 63, "latencies", testbed};
constexpr Discrepancy recorded_work{0.77, 1.43, 72, "recorded work", shared_cores};
constexpr Discrepancy undisturbed_work{0.83, 1.40, 72, "work recorded on shared cores", shared_cores};
constexpr Discrepancy disturbed_work{0.79, 1.32, 72, "work recorded on shared cores, as recorded",
                                     shared_cores};

// Nobody compared these with measurements: assumptions. Published tables of UPC programs on Abel have 0.68
// to 2.77.
constexpr Discrepancy other_network{0.5, 2.8, 0, "the network", ""};
constexpr Discrepancy within_node{0.5, 2.8, 0, "messages within a node", ""};
constexpr Discrepancy modelled_work{0.8, 1.25, 0, "work by its memory traffic", ""};

/// So many pairs of ways on the testbed have a ratio of their times that was predicted to within a factor.
struct Quantile {
  double share;
  double factor;
};
constexpr Quantile without_turns[] = {{0, 1},        {0.1, 1.002}, {0.25, 1.004}, {0.5, 1.010},
                                      {0.75, 1.017}, {0.9, 1.025}, {1, 1.314}};
constexpr Quantile with_turns[] = {{0, 1},        {0.1, 1.006}, {0.25, 1.026}, {0.5, 1.059},
                                   {0.75, 1.200}, {0.9, 1.288}, {1, 1.771}};

/// Between two quantiles, linearly.
double share_within(std::span<const Quantile> quantiles, double factor) {
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    const auto& [low_share, low] = quantiles[i - 1];
    const auto& [high_share, high] = quantiles[i];
    if (factor < high) return low_share + (high_share - low_share) * (factor - low) / (high - low);
  }
  return 1;
}

/// The regions in which a rank of a pattern works on its own memory.
bool is_work(std::string_view region) {
  constexpr std::string_view begins[] = {"compute", "pack", "copy", "unpack"};
  return std::ranges::any_of(begins, [&](std::string_view name) { return region.starts_with(name); });
}

/// Seconds of all ranks together.
struct Seconds {
  double work = 0;
  double late = 0;
  double all = 0;
};

void add_region(Seconds& sum, std::string_view name, const std::vector<double>& ranks_s) {
  const double seconds = replay::sum_over_ranks(ranks_s);
  sum.all += seconds;
  if (is_work(name)) sum.work += seconds;
}

Seconds seconds_of(const Answer& answer) {
  Seconds sum;
  if (answer.question.job.programs != nullptr) {
    for (const auto& [name, ranks_s] : region_seconds(*answer.simulated))
      add_region(sum, name, ranks_s);
  } else {
    for (const RegionTimes& times : region_times(answer, model::PhaseNames::together, Span::run))
      add_region(sum, times.region.region.text(), times.simulated_s);
  }
  for (const replay::RankReplay& rank : answer.simulated->ranks)
    sum.late += rank.waits.sum().late_s();
  return sum;
}

const Discrepancy& discrepancy_of_work(const Answer& answer) {
  if (answer.question.job.programs == nullptr) return modelled_work;
  if (!answer.question.recording || !answer.question.recording->oversubscribed) return recorded_work;
  return answer.simulated->work == replay::WorkTimes::undisturbed ? undisturbed_work : disturbed_work;
}

/// Only networks whose replies wait behind data, as TCP's do, were compared with measurements, and only at 10
/// to 100 Mbit/s.
bool has_known_network(const platform::PlatformCosts& costs) {
  constexpr double most_bytes_per_s = 12.5e6;
  return costs.replies_wait && costs.remote_bandwidth_bytes_per_s &&
         *costs.remote_bandwidth_bytes_per_s <= most_bytes_per_s;
}

/// How far off what the network takes may be. Programs were compared with measurements as a whole, so the
/// kind of traffic that is known least decides, if it is a part that matters.
const Discrepancy& discrepancy_of_network(const Answer& answer) {
  constexpr double least_share = 0.2;
  if (answer.question.job.placement->nodes() == 1) return within_node;
  const replay::UnloadedTransfers& alone = answer.simulated->unloaded;
  const double all_s = alone.bytes_s + alone.bytes_in_turn_s + alone.latencies_s;
  if (all_s <= 0 || !has_known_network(answer.question.job.platform->costs)) return other_network;
  if (alone.latencies_s >= least_share * all_s) return latencies;
  return alone.bytes_in_turn_s >= least_share * all_s ? in_turn : bytes;
}

}  // namespace

std::vector<TimePart> parts_of_time(const Answer& answer) {
  if (!answer.simulated || answer.beside_others || answer.simulated->total_s <= 0) return {};
  const Seconds sum = seconds_of(answer);
  const double busy_s = sum.all - sum.late;
  if (busy_s <= 0) return {};
  const double work_s = answer.simulated->total_s * std::min(1., sum.work / busy_s);
  std::vector<TimePart> parts{{work_s, &discrepancy_of_work(answer)}};
  parts.push_back({answer.simulated->total_s - work_s, &discrepancy_of_network(answer)});
  std::erase_if(parts, [](const TimePart& part) { return part.seconds <= 0; });
  return parts;
}

std::optional<Interval> interval_of(const Answer& answer) {
  const std::vector<TimePart> parts = parts_of_time(answer);
  if (parts.empty()) return std::nullopt;
  double below = 0;
  double above = 0;
  for (const TimePart& part : parts) {
    below += std::pow(part.seconds * (1 - part.discrepancy->low), 2);
    above += std::pow(part.seconds * (part.discrepancy->high - 1), 2);
  }
  const double total_s = answer.simulated->total_s;
  constexpr double of_nine_tenths = 1.645;  // a normal distribution's standard deviations
  for (const replay::FoldedLoop& loop : answer.simulated->loops) {
    below += std::pow(of_nine_tenths * loop.standard_error_s, 2);
    above += std::pow(of_nine_tenths * loop.standard_error_s, 2);
  }
  return Interval{std::max(0., total_s - std::sqrt(below)), total_s + std::sqrt(above)};
}

std::optional<double> chance_of_being_right(const Decision& decision, const platform::PlatformCosts& costs) {
  constexpr double most = 0.99;  // none of some hundred pairs says more
  if (!has_known_network(costs)) return std::nullopt;
  const std::span<const Quantile> quantiles = decision.in_turn ? with_turns : without_turns;
  const double within = share_within(quantiles, decision.slower_over_faster);
  return std::min(most, 0.5 + 0.5 * within);
}

std::vector<std::string> interval_notes(std::span<const Answer> answers) {
  constexpr double least_share = 0.01;
  std::vector<const Discrepancy*> known;
  for (const Answer& answer : answers)
    for (const TimePart& part : parts_of_time(answer))
      if (part.seconds >= least_share * answer.simulated->total_s &&
          std::ranges::find(known, part.discrepancy) == known.end())
        known.push_back(part.discrepancy);
  std::vector<std::string> kinds;
  for (const Discrepancy* one : known)
    kinds.push_back(fmt::format(
        "{} {:.2f} to {:.2f} times as long ({})", one->kind, one->low, one->high,
        one->samples > 0 ? fmt::format("{}, {} cases", one->origin, one->samples) : "an assumption"));
  if (kinds.empty()) return {};
  return {
      fmt::format("in brackets: where the true time lies in 90 of 100 cases, as far as that was measured. {} "
                  "(docs/intervals.md)",
                  fmt::join(kinds, ", "))};
}

}  // namespace finegrain::answer
