// SPDX-License-Identifier: MIT
#include "sim/cli/efficiency_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain::cli {
namespace {

/// Regions with a smaller share of the time are summed up.
constexpr double least_of_region = 0.001;

output::Column percent(const char* key, const char* heading, const char* help, const char* absent = "") {
  return {.key = key,
          .heading = heading,
          .decimals = 1,
          .origin = output::Origin::simulated,
          .help = help,
          .absent = absent};
}

/// Columns of the factors. @param no_product, no_factor  why rows lack them
std::vector<output::Column> factor_columns(const char* no_product, const char* no_factor) {
  return {
      percent("parallel_percent", "parallel", "work of all ranks, of the time of all ranks", no_product),
      percent("load_balance_percent", "load balance", "mean work of a rank, of the most work of a rank",
              no_factor),
      percent("communication_percent", "communication", "the most work of a rank, of the time", no_product),
      percent("serialisation_percent", "serialisation",
              "the most work of a rank, of the time where the network costs nothing", no_factor),
      percent("transfer_percent", "transfer", "the time where the network costs nothing, of the time",
              no_factor)};
}

void add_factors(std::vector<output::Cell>& row, const answer::Efficiency& efficiency) {
  const auto cell = [](std::optional<double> share) {
    return share ? output::Cell(100 * *share) : output::Cell();
  };
  const auto factor = [&](double answer::Efficiency::Factors::*of) {
    return efficiency.factors ? output::Cell(100 * (*efficiency.factors).*of) : output::Cell();
  };
  using Factors = answer::Efficiency::Factors;
  row.insert(row.end(),
             {cell(efficiency.parallel()), factor(&Factors::load_balance), cell(efficiency.communication()),
              factor(&Factors::serialisation), factor(&Factors::transfer)});
}

std::vector<output::Cell> beginning_of_row(const answer::Answer& answer) {
  return {answer.question.job.platform->name, std::int64_t{answer.run().ranks}};
}

nlohmann::json data_of(const answer::Efficiency& efficiency) {
  const auto number = [](std::optional<double> share) {
    return share ? nlohmann::json(*share) : nlohmann::json();
  };
  const auto factor = [&](double answer::Efficiency::Factors::*of) {
    return efficiency.factors ? nlohmann::json((*efficiency.factors).*of) : nlohmann::json();
  };
  using Factors = answer::Efficiency::Factors;
  return {{"parallel", number(efficiency.parallel())},
          {"load_balance", factor(&Factors::load_balance)},
          {"communication", number(efficiency.communication())},
          {"serialisation", factor(&Factors::serialisation)},
          {"transfer", factor(&Factors::transfer)},
          {"work_s", efficiency.work_s}};
}

}  // namespace

output::Table table_of_efficiencies(std::span<const answer::Answer> answers,
                                    std::span<const answer::LocatedEfficiency> efficiencies) {
  output::Table table;
  table.name = "efficiency";
  table.title = "Efficiency: percent of the ranks' simulated time";
  table.columns = {{"platform", "platform"}, {"ranks", "ranks"}};
  std::ranges::move(factor_columns("the run takes no time", "no rank works"),
                    std::back_inserter(table.columns));
  table.columns.push_back({.key = "work_s",
                           .heading = "work s",
                           .decimals = 3,
                           .origin = output::Origin::simulated,
                           .help = "work of all ranks together"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<output::Cell>& row = table.rows.emplace_back(beginning_of_row(answers[i]));
    add_factors(row, efficiencies[i].run);
    row.emplace_back(efficiencies[i].run.work_s);
  }
  table.notes = {
      "parallel = load balance x communication, communication = serialisation x transfer. Load balance: "
      "ranks "
      "differ in their work. Serialisation: ranks wait for one another also where the network costs nothing. "
      "Transfer: the network's part (docs/efficiency.md)"};
  return table;
}

nlohmann::json efficiency_data(const answer::LocatedEfficiency& efficiency) {
  nlohmann::json data = data_of(efficiency.run);
  data["regions"] = nlohmann::json::array();
  for (const answer::RegionEfficiency& region : efficiency.regions) {
    if (region.share < least_of_region) continue;
    nlohmann::json& of_region = data["regions"].emplace_back(data_of(region.efficiency));
    of_region.update(
        {{"region", region.region}, {"ranks", region.ranks}, {"share", region.share}, {"lost", region.lost}});
  }
  return data;
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
    const double* const of_parallel = std::get_if<double>(&row[parallel]);
    row.emplace_back(100 * scalability);
    row.push_back(of_parallel != nullptr ? output::Cell(scalability * *of_parallel) : output::Cell());
  }
  table.columns.push_back(
      percent("scalability_percent", "scalability",
              "work of all ranks of the run with the fewest ranks, of the work of all ranks"));
  table.columns.push_back(
      percent("global_percent", "global", "parallel x scalability", "the run takes no time"));
  table.notes.emplace_back(
      "scalability: work of all ranks of the run with the fewest ranks / of this one: below 100, more ranks "
      "have more work in all. This holds for runs of one problem. If the problem grows with the ranks, "
      "compare "
      "with the ratio of the numbers of ranks. global = parallel x scalability. Instructions are not "
      "counted, so "
      "it is not divided further (docs/efficiency.md)");
}

output::Table table_of_regions(std::span<const answer::Answer> answers,
                               std::span<const answer::LocatedEfficiency> efficiencies) {
  output::Table table;
  table.name = "regions";
  table.title = "Efficiency of regions, in percent";
  table.columns = {
      {"platform", "platform"},
      {"ranks", "ranks"},
      {"region", "where"},
      percent("time_percent", "time", "the part of all ranks' time that is spent there, and in work before"),
      percent("lost_percent", "lost", "the part of all ranks' time that is spent there, and is no work")};
  std::ranges::move(factor_columns("nobody calls there, or several regions are summed up",
                                   "no rank works before these calls, or several regions are summed up"),
                    std::back_inserter(table.columns));
  table.columns.push_back({.key = "ranks_there",
                           .heading = "ranks there",
                           .origin = output::Origin::simulated,
                           .help = "how many ranks call there",
                           .absent = "several regions are summed up"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto add = [&](const answer::RegionEfficiency& region) {
      std::vector<output::Cell>& row = table.rows.emplace_back(beginning_of_row(answers[i]));
      row.insert(row.end(), {region.region, 100 * region.share, 100 * region.lost});
      add_factors(row, region.efficiency);
      row.push_back(region.ranks > 0 ? output::Cell(std::int64_t{region.ranks}) : output::Cell());
    };
    answer::RegionEfficiency others{.region = "others", .efficiency = {.factors = {}, .takes_time = false}};
    answer::RegionEfficiency run{
        .region = "the run", .ranks = answers[i].run().ranks, .efficiency = efficiencies[i].run};
    for (const answer::RegionEfficiency& region : efficiencies[i].regions) {
      run.share += region.share;
      run.lost += region.lost;
      if (region.share >= least_of_region) {
        add(region);
        continue;
      }
      others.share += region.share;
      others.lost += region.lost;
    }
    if (others.share > 0) add(others);
    add(run);
  }
  table.notes = {
      "A region is the calls of a function or place, each with the work before it. Its factors are shares of "
      "its time: of what the rank that spends the most there spends there. Transfer is over 100 where ranks "
      "wait "
      "elsewhere if the network costs nothing. lost: the sum is what the run's parallel efficiency lacks to "
      "100 (docs/efficiency.md)"};
  return table;
}

}  // namespace finegrain::cli
