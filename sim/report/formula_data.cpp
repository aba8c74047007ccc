// SPDX-License-Identifier: MIT
#include "sim/report/formula_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/policy/closed_form.hpp"

namespace finegrain::report {
namespace {

std::string_view name_of(model::Cost cost) {
  const std::string_view apiece = model::apiece_name(cost);
  if (!apiece.empty()) return apiece;
  return cost == model::Cost::private_bytes ? "private_bytes" : "remote_bytes";
}

const char* name_of(model::Gathering gathering) {
  switch (gathering) {
    case model::Gathering::most_of_node:
      return "most_of_node";
    case model::Gathering::sum_of_node:
      return "sum_of_node";
    case model::Gathering::ranks_times_most_of_node:
      return "ranks_times_most_of_node";
    case model::Gathering::of_rank:
      return "of_rank";
  }
  return "";
}

nlohmann::json to_json(const model::FormulaTerm& term) {
  return {{"part", term.part},
          {"equation", term.equation},
          {"symbol", term.symbol},
          {"counted", term.counted},
          {"each", term.each},
          {"bytes_each", term.bytes_each},
          {"cache_lines_each", term.cache_lines_each},
          {"cost", name_of(term.cost)},
          {"gathering", name_of(term.gathering)}};
}

/// The counts of a formula's terms, shape [terms][ranks].
nlohmann::json counts_of(const model::Formula& formula) {
  auto counts = nlohmann::json::array();
  for (const model::FormulaTerm& term : formula.terms)
    counts.push_back(std::vector<std::int64_t>(term.counts.begin(), term.counts.end()));
  return counts;
}

/// A thread's rate, relative to a core's: 1 if each thread has a core alone.
double thread_rate(const Run& run, const platform::PlatformCosts& costs,
                   const problem::Placement& placement) {
  const std::int64_t threads = std::int64_t{placement.most_ranks_on_a_node()} * run.threads_per_rank;
  return costs.hardware_threads ? costs.hardware_threads->thread_rate(threads) : 1;
}

}  // namespace

std::vector<int> nodes_of_ranks(const problem::Placement& placement) {
  std::vector<int> nodes;
  for (int rank = 0; rank < placement.ranks(); ++rank)
    nodes.push_back(placement.node(rank));
  return nodes;
}

nlohmann::json formula_data(const std::vector<BlockSizeRun>& sizes, std::size_t variant, const Run& focus,
                            const platform::Platform& platform, const problem::Placement& placement) {
  nlohmann::json data = {{"variant", to_string(model::ClosedForm::as_published)},
                         {"ranks", focus.ranks},
                         {"most_ranks_on_a_node", placement.most_ranks_on_a_node()},
                         {"nodes_of_ranks", nodes_of_ranks(placement)},
                         {"threads_per_rank", focus.threads_per_rank},
                         {"thread_rate", thread_rate(focus, platform.costs, placement)},
                         {"choices", nlohmann::json::array()}};
  for (const BlockSizeRun& size : sizes) {
    const model::Formula& formula = size.formulas[variant];
    const double total_s =
        evaluate(formula, placement, model::hardware_of(focus, placement, platform.costs)).total_s;
    nlohmann::json choice = {
        {"own", size.run == focus}, {"total_s", total_s}, {"counts", counts_of(formula)}};
    if (size.run.problem.settings.contains(block_size_setting))
      choice["block_size"] = number_of(size.run.problem, block_size_setting, 1);
    data["choices"].push_back(std::move(choice));
    if (data.contains("terms")) continue;
    data["total_equation"] = formula.total_equation;
    for (const model::FormulaTerm& term : formula.terms)
      data["terms"].push_back(to_json(term));
  }
  return data;
}

}  // namespace finegrain::report
