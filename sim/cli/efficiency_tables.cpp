// SPDX-License-Identifier: MIT
#include "sim/cli/efficiency_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain::cli {
namespace {

/// Smaller losses are summed up.
constexpr double least_loss = 0.001;

void add_loss(output::Table& table, const answer::Answer& answer, const answer::RegionLoss& loss) {
  table.rows.push_back({answer.question.job.platform->name, std::int64_t{answer.run().ranks}, loss.region,
                        100 * loss.all(), 100 * loss.ideal, 100 * loss.network});
}

}  // namespace

output::Table table_of_efficiencies(std::span<const answer::Answer> answers,
                                    std::span<const answer::LocatedEfficiency> efficiencies) {
  output::Table table;
  table.name = "efficiency";
  table.title = "Efficiency: percent of the ranks' simulated time";
  const auto column = [&](const char* key, const char* heading, const char* help) {
    table.columns.push_back(
        {.key = key, .heading = heading, .decimals = 1, .origin = output::Origin::simulated, .help = help});
  };
  table.columns = {{"platform", "platform"}, {"ranks", "ranks"}};
  column("parallel_percent", "parallel", "work of all ranks, of the time of all ranks");
  column("load_balance_percent", "load balance", "mean work of a rank, of the most work of a rank");
  column("communication_percent", "communication", "the most work of a rank, of the time");
  column("serialisation_percent", "serialisation",
         "the most work of a rank, of the time where the network costs nothing");
  column("transfer_percent", "transfer", "the time where the network costs nothing, of the time");
  table.columns.push_back({.key = "work_s",
                           .heading = "work s",
                           .decimals = 3,
                           .origin = output::Origin::simulated,
                           .help = "work of all ranks together"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const answer::Efficiency& efficiency = efficiencies[i].run;
    table.rows.push_back({answers[i].question.job.platform->name, std::int64_t{answers[i].run().ranks},
                          100 * efficiency.parallel(), 100 * efficiency.load_balance,
                          100 * efficiency.communication(), 100 * efficiency.serialisation,
                          100 * efficiency.transfer, efficiency.work_s});
  }
  table.notes = {
      "parallel = load balance x communication, communication = serialisation x transfer. Load balance: "
      "ranks "
      "differ in their work. Serialisation: ranks wait for one another also where the network costs nothing. "
      "Transfer: the network's part (docs/efficiency.md)"};
  return table;
}

void add_scalability(output::Table& table) {
  const auto place_of = [&](std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, key, &output::Column::key) -
                                    table.columns.begin());
  };
  const std::size_t platform = place_of("platform"), ranks = place_of("ranks"), work = place_of("work_s"),
                    parallel = place_of("parallel_percent");
  using Row = std::vector<output::Cell>;
  std::map<output::Cell, Row> fewest;  // each platform's run with the fewest ranks
  for (const Row& row : table.rows)
    if (const auto [first, is_new] = fewest.try_emplace(row[platform], row);
        !is_new && row[ranks] < first->second[ranks])
      first->second = row;
  const auto is_of_fewest = [&](const Row& row) { return fewest.at(row[platform])[ranks] == row[ranks]; };
  if (std::ranges::all_of(table.rows, is_of_fewest)) return;
  for (Row& row : table.rows) {
    const double work_s = std::get<double>(row[work]);
    const double scalability = work_s > 0 ? std::get<double>(fewest.at(row[platform])[work]) / work_s : 1;
    const double of_parallel = std::get<double>(row[parallel]);
    row.emplace_back(100 * scalability);
    row.emplace_back(scalability * of_parallel);
  }
  const auto column = [&](const char* key, const char* heading, const char* help) {
    table.columns.push_back(
        {.key = key, .heading = heading, .decimals = 1, .origin = output::Origin::simulated, .help = help});
  };
  column("scalability_percent", "scalability",
         "work of all ranks of the run with the fewest ranks, of the work of all ranks");
  column("global_percent", "global", "parallel x scalability");
  table.notes.emplace_back(
      "scalability: work of all ranks of the run with the fewest ranks / of this one: below 100, more ranks "
      "have more work in all. This holds for runs of one problem. If the problem grows with the ranks, "
      "compare "
      "with the ratio of the numbers of ranks. global = parallel x scalability. Instructions are not "
      "counted, so "
      "it is not divided further (docs/efficiency.md)");
}

output::Table table_of_losses(std::span<const answer::Answer> answers,
                              std::span<const answer::LocatedEfficiency> efficiencies) {
  output::Table table;
  table.name = "losses";
  table.title = "Where it is lost: percent of the ranks' simulated time";
  const auto column = [&](const char* key, const char* heading, const char* help) {
    table.columns.push_back(
        {.key = key, .heading = heading, .decimals = 1, .origin = output::Origin::simulated, .help = help});
  };
  table.columns = {{"platform", "platform"}, {"ranks", "ranks"}, {"region", "where"}};
  column("lost_percent", "lost", "the time of all ranks that is spent there");
  column("ideal_percent", "waiting", "what is spent there where the network costs nothing");
  column("network_percent", "network", "what is spent there more on the platform");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answer::RegionLoss others{.region = "others"};
    answer::RegionLoss sum{.region = "sum"};
    for (const answer::RegionLoss& loss : efficiencies[i].losses) {
      sum.ideal += loss.ideal;
      sum.network += loss.network;
      if (std::abs(loss.ideal) >= least_loss || std::abs(loss.network) >= least_loss) {
        add_loss(table, answers[i], loss);
        continue;
      }
      others.ideal += loss.ideal;
      others.network += loss.network;
    }
    if (others.ideal != 0 || others.network != 0) add_loss(table, answers[i], others);
    add_loss(table, answers[i], sum);
  }
  table.notes = {
      "lost = waiting + network; the sum is what parallel efficiency lacks to 100. waiting: for other ranks, "
      "where the network costs nothing. network: what is spent there more on the platform "
      "(docs/efficiency.md)"};
  return table;
}

}  // namespace finegrain::cli
