// SPDX-License-Identifier: MIT
#include "sim/model/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>

#include "traces/io/input_error.hpp"

namespace finegrain::model {
namespace {

/// What a term counts on each node. Shape [nodes].
std::vector<double> gathered_counts(const FormulaTerm& term, const problem::Placement& placement) {
  std::vector<double> counts(static_cast<std::size_t>(placement.nodes()));
  std::vector<double> ranks(counts.size());
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    const auto node = static_cast<std::size_t>(placement.node(rank));
    const double count = term.counts[static_cast<std::size_t>(rank)];
    counts[node] =
        term.gathering == Gathering::sum_of_node ? counts[node] + count : std::max(counts[node], count);
    ++ranks[node];
  }
  if (term.gathering == Gathering::ranks_times_most_of_node)
    std::ranges::transform(counts, ranks, counts.begin(), std::multiplies());
  return counts;
}

std::vector<double> times_s(const FormulaTerm& term, const std::vector<double>& counts,
                            const Hardware& hardware) {
  std::vector<double> times(counts.size());
  std::ranges::transform(counts, times.begin(), [&](double count) { return term_s(term, count, hardware); });
  return times;
}

void add(std::vector<double>& sums, const std::vector<double>& times) {
  std::ranges::transform(sums, times, sums.begin(), std::plus());
}

std::size_t first_of_largest(const std::vector<double>& times) {
  return static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
}

}  // namespace

std::string_view to_string(ClosedForm form) {
  return form == ClosedForm::as_printed ? "as_printed" : "as_published";
}

ClosedForm parse_closed_form(std::string_view text) {
  for (const ClosedForm form : {ClosedForm::as_printed, ClosedForm::as_published})
    if (text == to_string(form)) return form;
  throw InputError("variant", fmt::format("'{}' is no variant of the closed form", text),
                   "Use as_printed or as_published");
}

std::string_view apiece_name(Cost cost) {
  switch (cost) {
    case Cost::private_bytes:
    case Cost::remote_bytes:
      return "";
    case Cost::tau:
      return "tau";
    case Cost::call:
      return "call";
    case Cost::search_step:
      return "search_step";
    case Cost::shared_pointer_access:
      return "shared_pointer_access";
    case Cost::affinity_test:
      return "affinity_test";
  }
  return "";
}

double apiece_s(Cost cost, const platform::PlatformCosts& costs) {
  switch (cost) {
    case Cost::tau:
      return costs.tau();
    case Cost::call:
      return costs.call_s;
    case Cost::search_step:
      return costs.search_step_s;
    case Cost::shared_pointer_access:
      return costs.shared_pointer_access_s;
    case Cost::affinity_test:
      return costs.affinity_test_s;
    case Cost::private_bytes:
    case Cost::remote_bytes:
      break;
  }
  assert(false);
  return 0;
}

double term_s(const FormulaTerm& term, double count, const Hardware& hardware) {
  if (count == 0) return 0;
  if (!apiece_name(term.cost).empty()) return count * apiece_s(term.cost, hardware.costs);
  const double bytes = count * (term.bytes_each + term.cache_lines_each * hardware.costs.cache_line_bytes);
  return bytes / (term.cost == Cost::private_bytes ? hardware.private_bandwidth_bytes_per_s
                                                   : hardware.costs.remote_bandwidth());
}

Prediction evaluate(const Formula& formula, const problem::Placement& placement, const Hardware& hardware) {
  const auto ranks = static_cast<std::size_t>(placement.ranks());
  Prediction prediction;
  prediction.nodes_s.resize(static_cast<std::size_t>(placement.nodes()));
  std::vector<double> ranks_s(ranks);         // sum of the rank's own terms
  std::vector<std::vector<double>> of_terms;  // shape [terms][nodes or ranks]
  for (const FormulaTerm& term : formula.terms) {
    const bool of_rank = term.gathering == Gathering::of_rank;
    const std::vector<double> of_ranks = times_s(term, term.counts, hardware);
    of_terms.push_back(of_rank ? of_ranks : times_s(term, gathered_counts(term, placement), hardware));
    add(of_rank ? ranks_s : prediction.nodes_s, of_terms.back());
    auto part = std::ranges::find(prediction.parts, term.part, &PartPrediction::part);
    if (part == prediction.parts.end())
      part = prediction.parts.insert(part, {term.part, std::vector<double>(ranks)});
    add(part->ranks_s, of_ranks);
  }
  const std::size_t node = first_of_largest(prediction.nodes_s);
  const std::size_t rank = first_of_largest(ranks_s);
  prediction.node = static_cast<int>(node);
  prediction.rank = static_cast<int>(rank);
  prediction.total_s = prediction.nodes_s[node] + ranks_s[rank];

  for (const RegionName name : formula.phases)
    prediction.phases.push_back({name, 0});
  for (std::size_t t = 0; t < formula.terms.size(); ++t) {
    const FormulaTerm& term = formula.terms[t];
    const double time_s = of_terms[t][term.gathering == Gathering::of_rank ? rank : node];
    const double early_s = term.early_counts.empty() ? 0 : term_s(term, term.early_counts[rank], hardware);
    prediction.terms_s.push_back(time_s);
    prediction.phases[term.early_phase].time_s += early_s;
    prediction.phases[term.phase].time_s += time_s - early_s;
  }
  return prediction;
}

std::optional<double> phase_time_s(const Prediction& prediction, RegionName name, int number) {
  for (const PhasePrediction& phase : prediction.phases) {
    if (phase.name == name && --number == 0) return phase.time_s;
  }
  return std::nullopt;
}

}  // namespace finegrain::model
