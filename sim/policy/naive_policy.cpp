// SPDX-License-Identifier: MIT
//
// Policy "naive", Listing 2 of Lagravière et al. 2019: the same accesses as "individual", in the same order.
// Besides, every element of the matrix is reached through a pointer to shared, and every rank tests for every
// row whether it owns that row (upc_forall). The paper has no equations for that: (N1) is ours
// (docs/model.md).
#include "sim/policy/individual_policy.hpp"

namespace finegrain::policy {
namespace {

/// What a rank does in addition to "individual".
struct NaiveWork {
  std::int64_t shared_references = 0;
  std::int64_t affinity_tests = 0;
};

/// Shape [run.ranks]
std::vector<NaiveWork> naive_work(const Run& run) {
  const pattern::PatternKind& kind = pattern::pattern_kind(run);
  const std::int64_t references = kind.element_work(run.problem).shared_references;
  std::vector<NaiveWork> ranks(static_cast<std::size_t>(run.ranks));
  if (references == 0) return ranks;
  std::int64_t all = 0;
  const std::vector<std::int64_t> elements = kind.elements_of_ranks(run);
  for (const std::int64_t of_rank : elements)
    all += of_rank;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank] = {references * elements[rank], all};
  return ranks;
}

/// (N1): the terms of "individual", and two terms for the processor's time.
/// @param formula  the one of "individual"
model::Formula with_pointers(model::Formula formula, std::span<const NaiveWork> ranks) {
  model::FormulaTerm references{.part = "pointers",
                                .equation = "(N1)",
                                .symbol = "R_shared",
                                .counted = "references by pointers to shared",
                                .cost = model::Cost::shared_pointer_access};
  model::FormulaTerm tests{.part = "pointers",
                           .equation = "(N1)",
                           .symbol = "n",
                           .counted = "iterations tested for whose they are",
                           .cost = model::Cost::affinity_test};
  for (const NaiveWork& rank : ranks) {
    references.counts.push_back(static_cast<double>(rank.shared_references));
    tests.counts.push_back(static_cast<double>(rank.affinity_tests));
  }
  formula.total_equation = "(N1)";
  formula.terms.push_back(std::move(references));
  formula.terms.push_back(std::move(tests));
  return formula;
}

class Naive : public Individual {
 public:
  std::string name() const override { return "naive"; }
  std::string help() const override { return "Listing 2"; }
  int order() const override { return 0; }
  /// "individual" is never slower.
  bool is_candidate() const override { return false; }

  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override {
    std::vector<Body> bodies = Individual::programs(pattern, run, counts);
    const std::vector<NaiveWork> more = naive_work(run);
    for (std::size_t rank = 0; rank < bodies.size(); ++rank) {
      auto& work = std::get<Work>(bodies[rank].operations.front());
      work.shared_references = more[rank].shared_references;
      work.affinity_tests = more[rank].affinity_tests;
    }
    return bodies;
  }

  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override {
    return with_pointers(Individual::formula(run, counts, form, placement), naive_work(run));
  }
  model::Formula formula_between(const Run& run, std::span<const pattern::RankCounts> counts,
                                 model::ClosedForm form, const problem::Placement& placement, int rank,
                                 int peer) const override {
    Run as_individual = run;
    as_individual.policy = Individual::name();
    return with_pointers(
        policy(as_individual).formula_between(as_individual, counts, form, placement, rank, peer),
        std::vector<NaiveWork>(1));
  }
  std::string formula_gap(const Run& /*run*/) const override {
    return "closed form: not the paper's: (N1) of docs/model.md";
  }

  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const override {
    return Individual::shared_bytes(elements, run) + elements.most_of_a_rank * elements.work_bytes;
  }
};

}  // namespace

const Policy& naive_policy() {
  static const Naive policy;
  return policy;
}

}  // namespace finegrain::policy
