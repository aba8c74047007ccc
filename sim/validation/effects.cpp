// SPDX-License-Identifier: MIT
#include "sim/validation/effects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/model/published.hpp"
#include "sim/validation/score.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::validation {
namespace {

constexpr std::array all_effects{
    Effect{"contention", "puts and gets share links",
           [](platform::PlatformCosts&, replay::ReplayOptions& options) {
             options.puts_and_gets_share_links = false;
           }},
    Effect{
        "barriers", "a barrier takes the time of its rounds of messages",
        [](platform::PlatformCosts&, replay::ReplayOptions& options) { options.barriers_take_time = false; }},
    Effect{"released-bandwidth", "the memory bandwidth of finished ranks goes to the others",
           [](platform::PlatformCosts& costs, replay::ReplayOptions&) {
             costs.memory_bandwidth_per_core_bytes_per_s =
                 costs.memory_bandwidth_bytes_per_s / model::published_ranks_per_node;
           }},
    Effect{"write-allocate", "a store to a scattered place reads its cache line first",
           [](platform::PlatformCosts& costs, replay::ReplayOptions&) { costs.write_allocate_bytes = 0; }},
    Effect{"copy-allocate", "a copy within a node reads part of the cache lines that it stores",
           [](platform::PlatformCosts& costs, replay::ReplayOptions&) { costs.copy_allocate_bytes = 0; }},
    Effect{"unregistered-memory", "puts and gets of private memory are slower than MPI's messages",
           [](platform::PlatformCosts& costs, replay::ReplayOptions&) {
             costs.unregistered_bandwidth_bytes_per_s.reset();
           }},
};

bool is_heat(const Score& score) {
  return score.table == "Table 5" || score.table == "Table IV";
}

double figure(const Misses& misses, bool heat) {
  return heat ? misses.mean_percent : misses.mean_log_ratio;
}

std::vector<Score> all_scores(const std::vector<ComparedTable>& compared) {
  std::vector<Score> all;
  for (const ComparedTable& one : compared) {
    const std::vector<Score> some = scores(one);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::span<const Effect> effects() {
  return all_effects;
}

void take_away(platform::PlatformCosts& costs, replay::ReplayOptions& options,
               const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto effect = std::ranges::find(all_effects, name, &Effect::name);
    if (effect == all_effects.end()) {
      std::vector<std::string_view> known;
      for (const Effect& one : all_effects)
        known.push_back(one.name);
      throw InputError(fmt::format("without {}", name), "no such effect",
                       fmt::format("There are {}", fmt::join(known, ", ")));
    }
    effect->take_away(costs, options);
  }
}

output::Table ablation_as_table(const std::vector<AblationRow>& rows) {
  output::Table table;
  table.name = "effects";
  table.title = "What each effect contributes";
  table.columns.push_back({"effects", "simulated with"});
  const std::vector<Score> first = all_scores(rows.front().compared);
  std::vector<output::Cell> closed_form{std::string("closed form")};
  for (const Score& score : first) {
    const bool heat = is_heat(score);
    const std::string name = score.table.substr(score.table.find(' ') + 1);
    table.columns.push_back({fmt::format("{}: {}", score.table, score.column),
                             fmt::format("{} {}{}", name, score.column, heat ? " %" : ""), heat ? 1 : 2});
    closed_form.emplace_back(figure(score.closed_form.value(), heat));
  }
  table.rows.push_back(std::move(closed_form));
  for (const AblationRow& row : rows) {
    std::vector<output::Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(row.effects);
    for (const Score& score : all_scores(row.compared))
      cells.emplace_back(figure(score.simulated, is_heat(score)));
  }
  table.notes = {
      "Mean absolute percentage error (%), and for SpMV the mean |ln(computed / measured)|, over the scored "
      "cells. SpMV's columns are Table 4's, on the stand-in mesh in the orders SBD and GND."};
  for (const Effect& effect : all_effects)
    table.notes.push_back(fmt::format("{}: {}.", effect.name, effect.what));
  return table;
}

}  // namespace finegrain::validation
