// SPDX-License-Identifier: MIT
#include "sim/policy/closed_form.hpp"
#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "../pattern/patterns.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

PlatformCosts machine() {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;
  costs.memory_bandwidth_per_core_bytes_per_s = 30;
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  return costs;
}

/// The largest of `seconds` over some ranks.
double most(const std::vector<int>& ranks, const auto& seconds) {
  double most_s = 0;
  for (const int rank : ranks)
    most_s = std::max(most_s, seconds(rank));
  return most_s;
}

/// Eqs. (7), (10) to (18) as one reads them, as_published, one function for all: written apart from the
/// formulas.
double spmv_total_s(const Run& run, const std::vector<RankCounts>& counts, const Placement& placement) {
  const PlatformCosts costs = machine();
  const double w_private = std::min(30.0, 200.0 / placement.most_ranks_on_a_node());
  const double d_comp = SpmvProblem::of(run.problem).r_nz * (8 + 4) + 3 * 8;
  const auto of = [&](int rank) -> const RankCounts& { return counts[static_cast<std::size_t>(rank)]; };
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const auto compute_s = [&](int rank) { return number(of(rank).rows) * d_comp / w_private; };
  const bool puts = run.transfer == Transfer::put;
  double nodes_s = 0;
  for (int node = 0; node < placement.nodes(); ++node) {
    const std::vector<int> ranks = placement.ranks_of(node);
    double node_s = 0;
    if (run.policy == "block") {
      node_s = most(ranks, compute_s) + most(ranks, [&](int rank) {
                 const RankCounts& r = of(rank);
                 return number(puts ? r.block_values_out_local : r.block_values_local) * 2 * 8 / w_private;
               });
      for (const int rank : ranks) {
        const RankCounts& r = of(rank);
        node_s += number(puts ? r.blocks_out_remote : r.blocks_remote) * *costs.tau_s +
                  number(puts ? r.block_values_out_remote : r.block_values_remote) * 8 / 16;
      }
    } else if (run.policy == "condensed") {
      node_s = most(ranks,
                    [&](int rank) {
                      return number(of(rank).values_out_local + of(rank).values_out_remote) * 20 / w_private;
                    }) +
               most(ranks, [&](int rank) { return number(of(rank).values_out_local) * 16 / w_private; });
      for (const int rank : ranks)
        node_s +=
            number(of(rank).messages_out_remote) * *costs.tau_s + number(of(rank).values_out_remote) * 8 / 16;
    }
    nodes_s = std::max(nodes_s, node_s);
  }
  double ranks_s = 0;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const RankCounts& r = of(rank);
    double rank_s = 0;
    if (run.policy == "individual")
      rank_s = compute_s(rank) + number(r.accesses_local) * 64 / w_private + number(r.accesses_remote) * 3;
    if (run.policy == "condensed")
      rank_s = compute_s(rank) + number(r.rows) * 16 / w_private +
               number(r.values_in_local + r.values_in_remote) * (12 + 64) / w_private;
    ranks_s = std::max(ranks_s, rank_s);
  }
  return nodes_s + ranks_s;
}

/// The terms of the node and the rank that decide, and the phases, are the total; the parts hold every term.
void require_whole(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                   const Placement& placement) {
  const Hardware hardware = hardware_of(run, placement, machine());
  const Formula formula = formula_of(run, counts, form, placement);
  const Prediction prediction = evaluate(formula, placement, hardware);
  CAPTURE(describe(run), run.ranks, run.ranks_per_node, to_string(form));
  CHECK(std::accumulate(prediction.terms_s.begin(), prediction.terms_s.end(), 0.0) ==
        Approx(prediction.total_s).epsilon(1e-12));
  double phases_s = 0;
  for (const PhasePrediction& phase : prediction.phases)
    phases_s += phase.time_s;
  CHECK(phases_s == Approx(prediction.total_s).epsilon(1e-12));
  for (int rank = 0; rank < run.ranks; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    double terms_s = 0;
    double parts_s = 0;
    for (const FormulaTerm& term : formula.terms)
      terms_s += term_s(term, term.counts[place], hardware);
    for (const PartPrediction& part : prediction.parts)
      parts_s += part.ranks_s[place];
    CHECK(parts_s == Approx(terms_s).epsilon(1e-12));
  }
}

constexpr auto both = {ClosedForm::as_printed, ClosedForm::as_published};

}  // namespace

TEST_CASE("the formulas of SpMV give what the equations give that are written out, on every placement") {
  const test::MatrixPattern pattern = test::banded_pattern(1013, 5, 90, 7);
  const std::vector<Variant> programs = {{"individual", Transfer::get, Completion::each},
                                         {"block", Transfer::get, Completion::each},
                                         {"block", Transfer::put, Completion::together},
                                         {"condensed", Transfer::put, Completion::each},
                                         {"condensed", Transfer::two_sided, Completion::overlapped}};
  for (const auto& [policy, transfer, completion, settings] : programs) {
    for (const int ranks_per_node : {1, 3, 12}) {
      for (const std::int64_t block_size : {16, 85}) {
        const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, block_size},
                      .policy = policy,
                      .transfer = transfer,
                      .completion = completion,
                      .ranks = 12,
                      .ranks_per_node = ranks_per_node};
        for (const Placement& placement :
             {Placement(12, ranks_per_node), cyclic_placement(12, ranks_per_node)}) {
          const std::vector<RankCounts> counts =
              count_accesses(pattern.view(), {layout_of(run).distribution, placement});
          CHECK(predict(run, counts, machine(), ClosedForm::as_published, &placement)->total_s ==
                Approx(spmv_total_s(run, counts, placement)).epsilon(1e-12));
          for (const ClosedForm form : both)
            require_whole(run, counts, form, placement);
        }
      }
    }
  }
}

TEST_CASE("heat: terms, phases and parts add up to the total, on every placement") {
  for (const HeatUpdate update : {HeatUpdate::swap, HeatUpdate::copy}) {
    for (const int ranks_per_node : {1, 4, 5, 15}) {
      const Run run{.problem = HeatProblem{101, 67, 5, 3, update},
                    .policy = "condensed",
                    .ranks = 15,
                    .ranks_per_node = ranks_per_node};
      for (const ClosedForm form : both) {
        require_whole(run, {}, form, Placement(15, ranks_per_node));
        require_whole(run, {}, form, cyclic_placement(15, ranks_per_node));
      }
    }
  }
}

TEST_CASE("a term costs its count times its bytes over the bandwidth, or times tau") {
  const Hardware hardware{machine(), 10};
  const FormulaTerm scattered{
      .part = "unpack", .equation = "", .symbol = "", .counted = "", .bytes_each = 12, .cache_lines_each = 1};
  CHECK(term_s(scattered, 5, hardware) == Approx(5 * (12 + 64) / 10.0));
  FormulaTerm message = scattered;
  message.cost = Cost::tau;
  CHECK(term_s(message, 5, hardware) == Approx(5 * 3.0));
  message = scattered;
  message.cost = Cost::remote_bytes;
  message.cache_lines_each = 0;
  CHECK(term_s(message, 5, hardware) == Approx(5 * 12 / 16.0));
}

TEST_CASE("a term without a count asks for no number of the network") {
  PlatformCosts costs = machine();
  costs.tau_s.reset();
  const FormulaTerm message{.part = "remote", .equation = "", .symbol = "", .counted = "", .cost = Cost::tau};
  CHECK(term_s(message, 0, {costs, 10}) == 0);
  CHECK_THROWS_AS(term_s(message, 1, {costs, 10}), InputError);
}

TEST_CASE("what a rank exchanges with each other rank adds up to its own counts") {
  const test::MatrixPattern pattern = test::banded_pattern(1013, 5, 90, 7);
  for (const std::string policy : {"individual", "block", "condensed"}) {
    const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, 16},
                  .policy = policy,
                  .transfer = policy == "condensed" ? Transfer::put : Transfer::get,
                  .completion = Completion::each,
                  .ranks = 12,
                  .ranks_per_node = 3};
    const std::vector<RankCounts> counts = count_accesses(pattern.view(), layout_of(run));
    const Placement placement(12, 3);
    const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
    for (std::size_t term = 0; term < formula.terms.size(); ++term) {
      const std::string& part = formula.terms[term].part;
      // The others are no messages, or of the receiver; a rank's own blocks are copied as well.
      if (part != "remote" && part != "pack") continue;
      for (int rank = 0; rank < run.ranks; ++rank) {
        double sum = 0;
        for (int peer = 0; peer < run.ranks; ++peer)
          if (peer != rank)
            sum += counts_with_peer(run, counts, ClosedForm::as_published, placement, rank, peer)[term];
        CHECK(sum == formula.terms[term].counts[static_cast<std::size_t>(rank)]);
      }
    }
  }
}

TEST_CASE("what a condensed message costs to unpack is what its receiver unpacks of it") {
  const test::MatrixPattern pattern = test::banded_pattern(1013, 5, 90, 7);
  const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, 85},
                .policy = "condensed",
                .transfer = Transfer::put,
                .completion = Completion::each,
                .ranks = 12,
                .ranks_per_node = 3};
  const std::vector<RankCounts> counts = count_accesses(pattern.view(), layout_of(run));
  const Placement placement(12, 3);
  const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
  const auto unpack = static_cast<std::size_t>(
      std::ranges::find(formula.terms, "unpack", &FormulaTerm::part) - formula.terms.begin());
  for (int receiver = 0; receiver < run.ranks; ++receiver) {
    double sum = 0;
    for (int sender = 0; sender < run.ranks; ++sender)
      if (sender != receiver)
        sum += counts_with_peer(run, counts, ClosedForm::as_published, placement, sender, receiver)[unpack];
    CHECK(sum == formula.terms[unpack].counts[static_cast<std::size_t>(receiver)]);
  }
}
