// SPDX-License-Identifier: MIT
#include "sim/policy/closed_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain {
namespace {

/// What one rank needs of another.
PeerCounts needs_of(const RankCounts& reader, int owner) {
  const auto found = std::ranges::lower_bound(reader.needs, owner, {}, &PeerCounts::peer);
  return found != reader.needs.end() && found->peer == owner ? *found : PeerCounts{};
}

/// Of a rank that exchanged with one other what these two exchange, and nothing else.
/// @param gets  the rank gets what it needs of the other; else it sends what the other needs
RankCounts counts_between(std::span<const RankCounts> counts, const Placement& placement, int rank, int peer,
                          bool gets) {
  const bool local = placement.same_node(rank, peer);
  const PeerCounts in = needs_of(counts[static_cast<std::size_t>(rank)], peer);
  const PeerCounts out = needs_of(counts[static_cast<std::size_t>(peer)], rank);
  const std::int64_t values = gets ? in.values : out.values;
  const std::int64_t message = values > 0 ? 1 : 0;
  RankCounts between;
  (local ? between.accesses_local : between.accesses_remote) = in.accesses;
  (local ? between.blocks_local : between.blocks_remote) = in.blocks;
  (local ? between.block_values_local : between.block_values_remote) = in.block_values;
  (local ? between.blocks_out_local : between.blocks_out_remote) = out.blocks;
  (local ? between.block_values_out_local : between.block_values_out_remote) = out.block_values;
  (local ? between.messages_out_local : between.messages_out_remote) = message;
  (local ? between.messages_in_local : between.messages_in_remote) = message;
  (local ? between.values_out_local : between.values_out_remote) = values;
  (local ? between.values_in_local : between.values_in_remote) = values;  // packed there, unpacked here
  return between;
}

}  // namespace

bool has_closed_form(const Run& run) {
  return pattern_kind(run).has_own_formula() || policy(run).has_formula();
}

Formula formula_of(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                   const Placement& placement) {
  assert(has_closed_form(run));
  check_variant(run);
  const PatternKind& kind = pattern_kind(run);
  return kind.has_own_formula() ? kind.own_formula(run, form, placement)
                                : policy(run).formula(run, counts, form);
}

std::vector<double> counts_with_peer(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                                     const Placement& placement, int rank, int peer) {
  const PatternKind& kind = pattern_kind(run);
  const Formula between =
      kind.has_own_formula()
          ? kind.own_formula_between(run, form, placement, rank, peer)
          : policy(run).formula(
                run,
                std::vector{counts_between(counts, placement, rank, peer, run.transfer == Transfer::get)},
                form);
  std::vector<double> of_terms;
  for (const FormulaTerm& term : between.terms)
    of_terms.push_back(term.counts.front());
  return of_terms;
}

std::optional<Prediction> predict(const Run& run, std::span<const RankCounts> counts,
                                  const PlatformCosts& costs, ClosedForm form,
                                  const Placement* given_placement) {
  if (!has_closed_form(run)) return std::nullopt;
  if (counts.empty() && !pattern_kind(run).has_own_formula()) return std::nullopt;
  const Placement placement =
      given_placement != nullptr ? *given_placement : Placement(run.ranks, run.ranks_per_node);
  return evaluate(formula_of(run, counts, form, placement), placement, hardware_of(run, placement, costs));
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

}  // namespace finegrain
