// SPDX-License-Identifier: MIT
#include "sim/report/formula_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/model/formula.hpp"
#include "sim/model/predict.hpp"

namespace finegrain {
namespace {

const char* name_of(Cost cost) {
  switch (cost) {
    case Cost::private_bytes:
      return "private_bytes";
    case Cost::remote_bytes:
      return "remote_bytes";
    case Cost::tau:
      return "tau";
  }
  return "";
}

const char* name_of(Gathering gathering) {
  switch (gathering) {
    case Gathering::most_of_node:
      return "most_of_node";
    case Gathering::sum_of_node:
      return "sum_of_node";
    case Gathering::ranks_times_most_of_node:
      return "ranks_times_most_of_node";
    case Gathering::of_rank:
      return "of_rank";
  }
  return "";
}

nlohmann::json to_json(const FormulaTerm& term) {
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

/// Shape [terms][ranks].
nlohmann::json counts_of(const Formula& formula) {
  auto counts = nlohmann::json::array();
  for (std::size_t term = 0; term < formula.terms.size(); ++term) {
    auto of_ranks = nlohmann::json::array();
    for (const std::vector<double>& rank : formula.counts)
      of_ranks.push_back(static_cast<std::int64_t>(rank[term]));
    counts.push_back(std::move(of_ranks));
  }
  return counts;
}

}  // namespace

nlohmann::json formula_data(const std::vector<BlockSizeRun>& sizes, const Run& focus,
                            const Platform& platform) {
  nlohmann::json data = {{"variant", to_string(ClosedForm::as_published)},
                         {"ranks", focus.ranks},
                         {"ranks_per_node", focus.ranks_per_node},
                         {"threads_per_rank", focus.threads_per_rank},
                         {"choices", nlohmann::json::array()}};
  for (const BlockSizeRun& size : sizes) {
    const Formula formula = formula_of(size.run, size.counts, ClosedForm::as_published);
    const auto prediction = predict_run(size.run, size.counts, platform.costs);
    nlohmann::json choice = {
        {"own", size.run == focus}, {"total_s", prediction->total_s}, {"counts", counts_of(formula)}};
    if (const auto* spmv = std::get_if<SpmvProblem>(&size.run.problem))
      choice["block_size"] = spmv->block_size;
    data["choices"].push_back(std::move(choice));
    if (data.contains("terms")) continue;
    data["total_equation"] = formula.total_equation;
    for (const FormulaTerm& term : formula.terms)
      data["terms"].push_back(to_json(term));
  }
  return data;
}

}  // namespace finegrain
