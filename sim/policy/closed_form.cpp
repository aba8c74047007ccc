// SPDX-License-Identifier: MIT
#include "sim/policy/closed_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::policy {
bool has_closed_form(const Run& run) {
  return pattern::pattern_kind(run).has_own_formula() || policy(run).has_formula();
}

model::Formula formula_of(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                          const problem::Placement& placement) {
  assert(has_closed_form(run));
  check_variant(run);
  const pattern::PatternKind& kind = pattern::pattern_kind(run);
  return kind.has_own_formula() ? kind.own_formula(run, form, placement)
                                : policy(run).formula(run, counts, form, placement);
}

std::vector<double> counts_with_peer(const Run& run, std::span<const pattern::RankCounts> counts,
                                     model::ClosedForm form, const problem::Placement& placement, int rank,
                                     int peer) {
  const pattern::PatternKind& kind = pattern::pattern_kind(run);
  const model::Formula between = kind.has_own_formula()
                                     ? kind.own_formula_between(run, form, placement, rank, peer)
                                     : policy(run).formula_between(run, counts, form, placement, rank, peer);
  std::vector<double> of_terms;
  for (const model::FormulaTerm& term : between.terms)
    of_terms.push_back(term.counts.front());
  return of_terms;
}

std::optional<model::Prediction> predict(const Run& run, std::span<const pattern::RankCounts> counts,
                                         const platform::PlatformCosts& costs, model::ClosedForm form,
                                         const problem::Placement* given_placement) {
  if (!has_closed_form(run)) return std::nullopt;
  if (counts.empty() && !pattern::pattern_kind(run).has_own_formula()) return std::nullopt;
  const problem::Placement placement =
      given_placement != nullptr ? *given_placement : problem::Placement(run.ranks, run.ranks_per_node);
  return evaluate(formula_of(run, counts, form, placement), placement,
                  model::hardware_of(run, placement, costs));
}

std::vector<std::string> closed_form_gaps(const Run& run) {
  std::vector<std::string> gaps;
  if (!has_closed_form(run))
    gaps.push_back(fmt::format("closed form: there is none of policy {} (docs/model.md)", run.policy));
  if (run.completion == Completion::overlapped)
    gaps.emplace_back("closed form: knows no overlap; of the same messages, not overlapped");
  if (const std::string gap = policy(run).formula_gap(run); !gap.empty()) gaps.push_back(gap);
  return gaps;
}

}  // namespace finegrain::policy
