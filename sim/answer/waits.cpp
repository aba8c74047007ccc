// SPDX-License-Identifier: MIT
#include "sim/answer/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/answer/regions.hpp"

namespace finegrain::answer {
namespace {

using replay::WaitCause;
using replay::Waits;

/// Regions in which the ranks wait for less than this of all their waits are left out.
constexpr double least_share = 0.001;

/// What is waited for, and its name in a row.
struct NamedWaits {
  output::Cell name;
  Waits waits;
  output::Cell awaited_s = {};
};

Waits mean_of(std::span<const Waits> ranks) {
  Waits mean;
  for (const Waits& rank : ranks)
    mean.add(rank, 1 / static_cast<double>(ranks.size()));
  return mean;
}

std::vector<NamedWaits> waits_of_ranks(const Answer& answer) {
  std::vector<NamedWaits> all;
  for (const replay::RankReplay& rank : answer.simulated->ranks)
    all.push_back({static_cast<std::int64_t>(all.size()), rank.waits.sum(), rank.awaited_s});
  return all;
}

/// The longest first.
std::vector<NamedWaits> waits_of_regions(const Answer& answer) {
  std::vector<NamedWaits> all;
  if (answer.question.job.programs != nullptr) {
    for (const auto& [name, ranks] : region_waits(*answer.simulated))
      all.push_back({name, mean_of(ranks)});
  } else {
    for (const RegionTimes& times : region_times(answer, model::PhaseNames::together, Span::run))
      all.push_back({times.region.name(), mean_of(times.waits)});
  }
  std::ranges::stable_sort(all, std::greater(), [](const NamedWaits& one) { return one.waits.total_s(); });
  double sum_s = 0;
  for (const NamedWaits& one : all)
    sum_s += one.waits.total_s();
  std::erase_if(all, [&](const NamedWaits& one) {
    return one.waits.total_s() <= 0 || one.waits.total_s() < least_share * sum_s;
  });
  return all;
}

Waits mean_of_ranks(const Answer& answer) {
  std::vector<Waits> ranks;
  for (const replay::RankReplay& rank : answer.simulated->ranks)
    ranks.push_back(rank.waits.sum());
  return mean_of(ranks);
}

int decimals_of(std::span<const Answer> answers) {
  return std::ranges::any_of(answers, [](const Answer& answer) { return answer.simulated->total_s >= 1; })
             ? 3
             : 6;
}

}  // namespace

bool knows_waits(const Answer& answer) {
  return std::ranges::any_of(answer.simulated->ranks,
                             [](const replay::RankReplay& rank) { return rank.waits.is_known(); });
}

output::Table table_of_waits(std::span<const Answer> answers, WaitsOf rows) {
  output::Table table;
  table.name = "waits";
  const bool is_one = answers.size() == 1;
  table.title =
      fmt::format("Why ranks wait: {} of {} rank{}", rows == WaitsOf::ranks ? "seconds" : "mean seconds",
                  rows == WaitsOf::ranks ? "each" : "a",
                  is_one ? " on " + answers.front().question.job.platform->name : "");
  const int decimals = decimals_of(answers);
  const auto seconds = [&](std::string_view key, std::string_view heading, std::string_view help) {
    table.columns.push_back({.key = std::string(key),
                             .heading = std::string(heading),
                             .decimals = decimals,
                             .origin = output::Origin::simulated,
                             .help = std::string(help),
                             .absent = "no rank waits for this"});
  };
  if (!is_one) table.columns = {{"platform", "platform"}, {"ranks", "ranks"}};
  if (rows == WaitsOf::ranks)
    table.columns.push_back({"rank", "rank"});
  else
    table.columns.push_back({"region", "where"});
  seconds("wait_s", "waits", "seconds that a rank waits: the sum of the causes that follow");
  for (const WaitCause& cause : replay::wait_causes())
    seconds(cause.key, cause.heading, cause.help);
  if (rows == WaitsOf::ranks)
    seconds("awaited_s", "awaited", "seconds that other ranks wait until this one has come, all together");
  std::vector<bool> is_any(replay::wait_causes().size(), false);
  std::vector<std::pair<const Answer*, NamedWaits>> all;
  for (const Answer& answer : answers) {
    if (!knows_waits(answer)) continue;
    all.emplace_back(&answer, NamedWaits{std::string("all"), mean_of_ranks(answer)});
    for (NamedWaits& one : rows == WaitsOf::ranks ? waits_of_ranks(answer) : waits_of_regions(answer))
      all.emplace_back(&answer, std::move(one));
  }
  for (const auto& [answer, one] : all)
    for (std::size_t c = 0; c < is_any.size(); ++c)
      is_any[c] = is_any[c] || one.waits.*(replay::wait_causes()[c].seconds) > 0;
  for (const auto& [answer, one] : all) {
    std::vector<output::Cell>& row = table.rows.emplace_back();
    if (!is_one) row = {answer->question.job.platform->name, std::int64_t{answer->run().ranks}};
    row.insert(row.end(), {one.name, one.waits.total_s()});
    for (std::size_t c = 0; c < is_any.size(); ++c)
      row.push_back(is_any[c] ? output::Cell(one.waits.*(replay::wait_causes()[c].seconds)) : output::Cell());
    if (rows == WaitsOf::ranks) row.push_back(one.awaited_s);
  }
  table.notes = {
      "waits: the sum of the causes, which are parts of the simulated seconds (docs/waits.md). A faster "
      "network shortens transfer and contention only"};
  if (rows == WaitsOf::ranks)
    table.notes.emplace_back("awaited: what other ranks wait until this one has come");
  if (table.rows.empty()) table.notes = {"why ranks wait is not known: each message is one flow of SimGrid"};
  return table;
}

}  // namespace finegrain::answer
