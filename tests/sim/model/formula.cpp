// SPDX-License-Identifier: MIT
#include "sim/model/formula.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "../schedule/patterns.hpp"
#include "sim/model/predict.hpp"
#include "sim/schedule/programs.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;

PlatformCosts machine() {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;
  costs.memory_bandwidth_per_core_bytes_per_s = 30;
  costs.cache_line_bytes = 64;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  return costs;
}

double part_s(const RankPrediction& rank, const std::string& part) {
  if (part == "compute") return rank.compute_s;
  if (part == "pack") return rank.pack_s;
  if (part == "local") return rank.local_s;
  if (part == "remote") return rank.remote_s;
  if (part == "copy") return rank.copy_s;
  REQUIRE(part == "unpack");
  return rank.unpack_s;
}

void require_equal_to_prediction(const Run& run, std::span<const RankCounts> counts, ClosedForm form) {
  const PlatformCosts costs = machine();
  const Placement placement(run.ranks, run.ranks_per_node);
  const Hardware hardware = hardware_of(run, placement, costs);
  const auto prediction = predict_run(run, counts, costs, form);
  const Formula formula = formula_of(run, counts, form);
  CAPTURE(describe(run), run.ranks, run.ranks_per_node, to_string(form));

  REQUIRE(formula.counts.size() == static_cast<std::size_t>(run.ranks));
  for (std::size_t rank = 0; rank < formula.counts.size(); ++rank) {
    double sum_s = 0;
    for (const FormulaTerm& of_part : formula.terms) {
      double terms_s = 0;
      for (std::size_t term = 0; term < formula.terms.size(); ++term) {
        if (formula.terms[term].part == of_part.part)
          terms_s += term_s(formula.terms[term], formula.counts[rank][term], hardware);
      }
      CHECK(terms_s == Approx(part_s(prediction->ranks[rank], of_part.part)).epsilon(1e-12));
    }
    for (std::size_t term = 0; term < formula.terms.size(); ++term)
      sum_s += term_s(formula.terms[term], formula.counts[rank][term], hardware);
    const RankPrediction& parts = prediction->ranks[rank];
    CHECK(sum_s == Approx(parts.compute_s + parts.pack_s + parts.local_s + parts.remote_s + parts.copy_s +
                          parts.unpack_s)
                       .epsilon(1e-12));
  }
  CHECK(total_of(formula, placement, hardware).total_s() == Approx(prediction->total_s).epsilon(1e-12));
}

constexpr auto both = {ClosedForm::as_printed, ClosedForm::as_published};

}  // namespace

TEST_CASE("the terms of SpMV add up to the closed form, rank by rank and in total") {
  const test::Pattern pattern = test::banded_pattern(1013, 5, 90, 7);
  const std::vector<Program> programs = {{Policy::individual, Transfer::get, Completion::each},
                                         {Policy::block, Transfer::get, Completion::each},
                                         {Policy::block, Transfer::put, Completion::together},
                                         {Policy::condensed, Transfer::put, Completion::each},
                                         {Policy::condensed, Transfer::two_sided, Completion::overlapped}};
  for (const auto& [policy, transfer, completion] : programs) {
    for (const int ranks_per_node : {1, 3, 12}) {
      for (const std::int64_t block_size : {16, 85}) {
        const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, block_size},
                      .policy = policy,
                      .transfer = transfer,
                      .completion = completion,
                      .ranks = 12,
                      .ranks_per_node = ranks_per_node};
        const std::vector<RankCounts> counts = count_accesses(pattern.view(), layout_of(run));
        for (const ClosedForm form : both)
          require_equal_to_prediction(run, counts, form);
      }
    }
  }
}

TEST_CASE("the terms of the heat solver add up to the closed form, rank by rank and in total") {
  for (const HeatUpdate update : {HeatUpdate::swap, HeatUpdate::copy}) {
    for (const int ranks_per_node : {1, 4, 5, 15}) {
      const Run run{
          .problem = HeatProblem{101, 67, 5, 3, update}, .ranks = 15, .ranks_per_node = ranks_per_node};
      for (const ClosedForm form : both)
        require_equal_to_prediction(run, {}, form);
    }
  }
}

TEST_CASE("a term costs its count times its bytes over the bandwidth, or times tau") {
  const Hardware hardware{machine(), 10};
  const FormulaTerm scattered{.part = "unpack",
                              .equation = "",
                              .symbol = "",
                              .counted = "",
                              .each = "",
                              .bytes_each = 12,
                              .cache_lines_each = 1};
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
  const FormulaTerm message{
      .part = "remote", .equation = "", .symbol = "", .counted = "", .each = "", .cost = Cost::tau};
  CHECK(term_s(message, 0, {costs, 10}) == 0);
  CHECK_THROWS_AS(term_s(message, 1, {costs, 10}), InputError);
}

TEST_CASE("what a rank exchanges with each other rank adds up to its own counts") {
  const test::Pattern pattern = test::banded_pattern(1013, 5, 90, 7);
  for (const Policy policy : {Policy::individual, Policy::block, Policy::condensed}) {
    const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, 16},
                  .policy = policy,
                  .transfer = policy == Policy::condensed ? Transfer::put : Transfer::get,
                  .completion = Completion::each,
                  .ranks = 12,
                  .ranks_per_node = 3};
    const std::vector<RankCounts> counts = count_accesses(pattern.view(), layout_of(run));
    const Formula formula = formula_of(run, counts, ClosedForm::as_published);
    for (std::size_t term = 0; term < formula.terms.size(); ++term) {
      const std::string& part = formula.terms[term].part;
      // The others are no messages, or of the receiver; a rank's own blocks are copied as well.
      if (part != "remote" && part != "pack") continue;
      for (int rank = 0; rank < run.ranks; ++rank) {
        double sum = 0;
        for (int peer = 0; peer < run.ranks; ++peer)
          if (peer != rank) sum += counts_with_peer(run, counts, ClosedForm::as_published, rank, peer)[term];
        CHECK(sum == formula.counts[static_cast<std::size_t>(rank)][term]);
      }
    }
  }
}

TEST_CASE("what a condensed message costs to unpack is what its receiver unpacks of it") {
  const test::Pattern pattern = test::banded_pattern(1013, 5, 90, 7);
  const Run run{.problem = SpmvProblem{"banded", "", pattern.rows, pattern.r_nz, 85},
                .policy = Policy::condensed,
                .transfer = Transfer::put,
                .completion = Completion::each,
                .ranks = 12,
                .ranks_per_node = 3};
  const std::vector<RankCounts> counts = count_accesses(pattern.view(), layout_of(run));
  const Formula formula = formula_of(run, counts, ClosedForm::as_published);
  const auto unpack = static_cast<std::size_t>(
      std::ranges::find(formula.terms, "unpack", &FormulaTerm::part) - formula.terms.begin());
  for (int receiver = 0; receiver < run.ranks; ++receiver) {
    double sum = 0;
    for (int sender = 0; sender < run.ranks; ++sender)
      if (sender != receiver)
        sum += counts_with_peer(run, counts, ClosedForm::as_published, sender, receiver)[unpack];
    CHECK(sum == formula.counts[static_cast<std::size_t>(receiver)][unpack]);
  }
}
