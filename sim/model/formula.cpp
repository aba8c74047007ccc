// SPDX-License-Identifier: MIT
#include "sim/model/formula.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "sim/model/heat.hpp"
#include "sim/model/spmv.hpp"

namespace finegrain {
namespace {

/// A term, and where its count comes from.
template <class Counts>
struct CountedTerm {
  FormulaTerm term;
  std::function<std::int64_t(const Counts&)> count;
};

using SpmvTerms = std::vector<CountedTerm<RankCounts>>;

/// BLOCKSIZE as a factor where the equations are taken to the letter: they count every block as full.
struct BlockReading {
  bool full_blocks;
  std::int64_t block_size;

  std::string symbol(const std::string& blocks) const {
    return full_blocks ? blocks + " BLOCKSIZE" : "elements of " + blocks;
  }
  std::int64_t elements(std::int64_t blocks, std::int64_t values) const {
    return full_blocks ? blocks * block_size : values;
  }
};

CountedTerm<RankCounts> compute_term(const SpmvProblem& problem, const BlockReading& reading,
                                     Gathering gathering) {
  return {{.part = "compute",
           .equation = "(7)",
           .symbol = reading.symbol("B_comp"),
           .counted = "rows multiplied",
           .each = "(r_nz (sizeof(double) + sizeof(int)) + 3 sizeof(double))",
           .bytes_each = row_traffic_bytes(problem.r_nz),
           .gathering = gathering},
          [reading](const RankCounts& rank) { return reading.elements(rank.blocks, rank.rows); }};
}

SpmvTerms individual_terms(const SpmvProblem& problem, const BlockReading& reading) {
  return {compute_term(problem, reading, Gathering::of_rank),
          {{.part = "local",
            .equation = "(10)",
            .symbol = "C_local,indv",
            .counted = "accesses within the node",
            .each = "sizeof(cache line)",
            .cache_lines_each = 1},
           std::mem_fn(&RankCounts::accesses_local)},
          {{.part = "remote",
            .equation = "(10)",
            .symbol = "C_remote,indv",
            .counted = "accesses of other nodes",
            .each = "",
            .cost = Cost::tau},
           std::mem_fn(&RankCounts::accesses_remote)}};
}

SpmvTerms block_terms(const SpmvProblem& problem, const BlockReading& reading, Transfer transfer) {
  const bool gets = transfer == Transfer::get;
  const auto local = [=](const RankCounts& rank) {
    return gets ? reading.elements(rank.blocks_local, rank.block_values_local)
                : reading.elements(rank.blocks_out_local, rank.block_values_out_local);
  };
  const auto remote = [=](const RankCounts& rank) {
    return gets ? reading.elements(rank.blocks_remote, rank.block_values_remote)
                : reading.elements(rank.blocks_out_remote, rank.block_values_out_remote);
  };
  return {compute_term(problem, reading, Gathering::most_of_node),
          {{.part = "local",
            .equation = "(11)",
            .symbol = reading.symbol("B_local"),
            .counted = "elements of blocks copied within the node",
            .each = "2 sizeof(double)",
            .bytes_each = 2 * sizeof_double,
            .gathering = Gathering::most_of_node},
           local},
          {{.part = "remote",
            .equation = "(11)",
            .symbol = "B_remote",
            .counted = "blocks between nodes",
            .each = "",
            .cost = Cost::tau,
            .gathering = Gathering::sum_of_node},
           std::mem_fn(gets ? &RankCounts::blocks_remote : &RankCounts::blocks_out_remote)},
          {{.part = "remote",
            .equation = "(11)",
            .symbol = reading.symbol("B_remote"),
            .counted = "elements of blocks between nodes",
            .each = "sizeof(double)",
            .bytes_each = sizeof_double,
            .cost = Cost::remote_bytes,
            .gathering = Gathering::sum_of_node},
           remote}};
}

SpmvTerms condensed_terms(const SpmvProblem& problem, const BlockReading& reading) {
  return {{{.part = "pack",
            .equation = "(12)",
            .symbol = "(S_local,out + S_remote,out)",
            .counted = "values packed",
            .each = "(2 sizeof(double) + sizeof(int))",
            .bytes_each = 2 * sizeof_double + sizeof_int,
            .gathering = Gathering::most_of_node},
           [](const RankCounts& rank) { return rank.values_out_local + rank.values_out_remote; }},
          {{.part = "local",
            .equation = "(13)",
            .symbol = "S_local,out",
            .counted = "values sent within the node",
            .each = "2 sizeof(double)",
            .bytes_each = 2 * sizeof_double,
            .gathering = Gathering::most_of_node},
           std::mem_fn(&RankCounts::values_out_local)},
          {{.part = "remote",
            .equation = "(13)",
            .symbol = "C_remote,out",
            .counted = "messages sent between nodes",
            .each = "",
            .cost = Cost::tau,
            .gathering = Gathering::sum_of_node},
           std::mem_fn(&RankCounts::messages_out_remote)},
          {{.part = "remote",
            .equation = "(13)",
            .symbol = "S_remote,out",
            .counted = "values sent between nodes",
            .each = "sizeof(double)",
            .bytes_each = sizeof_double,
            .cost = Cost::remote_bytes,
            .gathering = Gathering::sum_of_node},
           std::mem_fn(&RankCounts::values_out_remote)},
          {{.part = "copy",
            .equation = "(14)",
            .symbol = reading.symbol("B_comp"),
            .counted = "own elements of x copied",
            .each = "2 sizeof(double)",
            .bytes_each = 2 * sizeof_double},
           [reading](const RankCounts& rank) { return reading.elements(rank.blocks, rank.rows); }},
          {{.part = "unpack",
            .equation = "(15)",
            .symbol = "(S_local,in + S_remote,in)",
            .counted = "values unpacked",
            .each = "(sizeof(double) + sizeof(int) + sizeof(cache line))",
            .bytes_each = sizeof_double + sizeof_int,
            .cache_lines_each = 1},
           [](const RankCounts& rank) { return rank.values_in_local + rank.values_in_remote; }},
          compute_term(problem, reading, Gathering::of_rank)};
}

/// What heat's terms count in.
struct HeatCounts {
  HaloCounts halo;
  std::int64_t points = 0;
};

std::vector<CountedTerm<HeatCounts>> heat_terms(const HeatProblem& problem, ClosedForm form) {
  const bool printed = form == ClosedForm::as_printed;
  const FormulaTerm pack{.part = "pack",
                         .equation = "(19)",
                         .symbol = "(S_local,horiz + S_remote,horiz)",
                         .counted = "values packed",
                         .each = "(sizeof(double) + sizeof(cache line))",
                         .bytes_each = sizeof_double,
                         .cache_lines_each = 1,
                         .gathering = Gathering::most_of_node};
  FormulaTerm unpack = pack;
  unpack.part = "unpack";
  unpack.counted = "values unpacked";
  const auto horizontal = [](const HeatCounts& rank) { return rank.halo.horizontal_values; };
  std::vector<CountedTerm<HeatCounts>> terms = {
      {pack, horizontal},
      {{.part = "local",
        .equation = "(20)",
        .symbol = "S_local",
        .counted = "values from the node",
        .each = printed ? "2 sizeof(double)" : "sizeof(double)",
        .bytes_each = (printed ? 2 : 1) * sizeof_double,
        .gathering = Gathering::most_of_node},
       [](const HeatCounts& rank) { return rank.halo.values_local; }},
      {{.part = "remote",
        .equation = "(20)",
        .symbol = "C_remote",
        .counted = "messages from other nodes",
        .each = "",
        .cost = Cost::tau,
        .gathering = printed ? Gathering::sum_of_node : Gathering::most_of_node},
       [](const HeatCounts& rank) { return rank.halo.messages_remote; }},
      {{.part = "remote",
        .equation = "(20)",
        .symbol = "S_remote",
        .counted = "values from other nodes",
        .each = "sizeof(double)",
        .bytes_each = sizeof_double,
        .cost = Cost::remote_bytes,
        .gathering = printed ? Gathering::sum_of_node : Gathering::ranks_times_most_of_node},
       [](const HeatCounts& rank) { return rank.halo.values_remote; }},
      {unpack, horizontal},
      {{.part = "compute",
        .equation = "(22)",
        .symbol = "(m-2)(n-2)",
        .counted = "points updated",
        .each = "3 sizeof(double)",
        .bytes_each = 3 * sizeof_double},
       std::mem_fn(&HeatCounts::points)}};
  if (problem.update == HeatUpdate::copy) {
    terms.push_back({{.part = "copy",
                      .equation = "Listing 8",
                      .symbol = "(m-2)(n-2)",
                      .counted = "points copied",
                      .each = "2 sizeof(double)",
                      .bytes_each = 2 * sizeof_double},
                     std::mem_fn(&HeatCounts::points)});
  }
  return terms;
}

std::vector<HeatCounts> heat_counts(const Run& run) {
  const auto& heat = std::get<HeatProblem>(run.problem);
  const HeatGrid grid(heat.rows, heat.columns, heat.mprocs, heat.nprocs);
  const Placement placement(run.ranks, run.ranks_per_node);
  std::vector<HeatCounts> counts;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const HeatPart part = grid.part(rank);
    counts.push_back({count_halo(rank, grid, placement), part.rows * part.columns});
  }
  return counts;
}

/// What one rank needs of another.
PeerCounts needs_of(const RankCounts& reader, int owner) {
  const auto found = std::ranges::lower_bound(reader.needs, owner, {}, &PeerCounts::peer);
  return found != reader.needs.end() && found->peer == owner ? *found : PeerCounts{};
}

/// Of a rank that exchanged what these two do, and nothing else.
RankCounts spmv_counts_between(const Run& run, std::span<const RankCounts> counts, int rank, int peer) {
  const auto one = static_cast<std::size_t>(rank);
  const auto other = static_cast<std::size_t>(peer);
  const bool local = Placement(run.ranks, run.ranks_per_node).same_node(rank, peer);
  const PeerCounts in = needs_of(counts[one], peer);
  const PeerCounts out = needs_of(counts[other], rank);
  const std::int64_t message = out.values > 0 ? 1 : 0;
  RankCounts between;
  (local ? between.accesses_local : between.accesses_remote) = in.accesses;
  (local ? between.blocks_local : between.blocks_remote) = in.blocks;
  (local ? between.block_values_local : between.block_values_remote) = in.block_values;
  (local ? between.blocks_out_local : between.blocks_out_remote) = out.blocks;
  (local ? between.block_values_out_local : between.block_values_out_remote) = out.block_values;
  (local ? between.messages_out_local : between.messages_out_remote) = message;
  (local ? between.values_out_local : between.values_out_remote) = out.values;
  (local ? between.values_in_local : between.values_in_remote) = out.values;  // that `peer` unpacks
  return between;
}

HeatCounts heat_counts_between(const Run& run, int rank, int peer) {
  const auto& heat = std::get<HeatProblem>(run.problem);
  const HeatGrid grid(heat.rows, heat.columns, heat.mprocs, heat.nprocs);
  const HeatPart part = grid.part(rank);
  const bool local = Placement(run.ranks, run.ranks_per_node).same_node(rank, peer);
  HeatCounts between;
  for (const Side side : {Side::left, Side::right, Side::up, Side::down}) {
    if (grid.neighbour(rank, side) != peer) continue;
    const bool horizontal = side == Side::left || side == Side::right;
    const std::int64_t values = horizontal ? part.rows : part.columns;
    if (horizontal) between.halo.horizontal_values += values;
    (local ? between.halo.values_local : between.halo.values_remote) += values;
    if (!local) ++between.halo.messages_remote;
  }
  return between;
}

template <class Counts>
Formula counted(std::string total_equation, const std::vector<CountedTerm<Counts>>& terms,
                std::span<const Counts> ranks) {
  Formula formula{.total_equation = std::move(total_equation), .terms = {}, .counts = {}};
  for (const CountedTerm<Counts>& term : terms)
    formula.terms.push_back(term.term);
  for (const Counts& rank : ranks) {
    std::vector<double>& of_rank = formula.counts.emplace_back();
    for (const CountedTerm<Counts>& term : terms)
      of_rank.push_back(static_cast<double>(term.count(rank)));
  }
  return formula;
}

Formula spmv_formula(const Run& run, std::span<const RankCounts> counts, ClosedForm form) {
  const auto& problem = std::get<SpmvProblem>(run.problem);
  const BlockReading reading{form == ClosedForm::as_printed, problem.block_size};
  switch (run.policy) {
    case Policy::naive:
      break;
    case Policy::individual:
      return counted("(16)", individual_terms(problem, reading), counts);
    case Policy::block:
      return counted("(17)", block_terms(problem, reading, run.transfer), counts);
    case Policy::condensed:
      return counted("(18)", condensed_terms(problem, reading), counts);
  }
  assert(false);
  return {};
}

}  // namespace

Formula formula_of(const Run& run, std::span<const RankCounts> counts, ClosedForm form) {
  if (const auto* heat = std::get_if<HeatProblem>(&run.problem)) {
    const std::vector<HeatCounts> ranks = heat_counts(run);
    return counted<HeatCounts>("(21) + (22)", heat_terms(*heat, form), ranks);
  }
  return spmv_formula(run, counts, form);
}

std::vector<double> counts_with_peer(const Run& run, std::span<const RankCounts> counts, ClosedForm form,
                                     int rank, int peer) {
  if (const auto* heat = std::get_if<HeatProblem>(&run.problem)) {
    const std::vector<HeatCounts> between{heat_counts_between(run, rank, peer)};
    return counted<HeatCounts>("", heat_terms(*heat, form), between).counts.front();
  }
  const std::vector<RankCounts> between{spmv_counts_between(run, counts, rank, peer)};
  return spmv_formula(run, between, form).counts.front();
}

double term_s(const FormulaTerm& term, double count, const Hardware& hardware) {
  if (count == 0) return 0;
  const double bytes = count * (term.bytes_each + term.cache_lines_each * hardware.costs.cache_line_bytes);
  switch (term.cost) {
    case Cost::private_bytes:
      return memory_s(bytes, hardware);
    case Cost::remote_bytes:
      return bytes / hardware.costs.remote_bandwidth();
    case Cost::tau:
      return count * hardware.costs.tau();
  }
  assert(false);
  return 0;
}

double gathered_s(const Formula& formula, std::size_t term, int node, const Placement& placement,
                  const Hardware& hardware) {
  const Gathering gathering = formula.terms[term].gathering;
  if (gathering == Gathering::of_rank) return 0;
  double most = 0;
  double sum = 0;
  const std::vector<int> ranks = placement.ranks_of(node);
  for (const int rank : ranks) {
    const double count = formula.counts[static_cast<std::size_t>(rank)][term];
    most = std::max(most, count);
    sum += count;
  }
  const double count = gathering == Gathering::sum_of_node    ? sum
                       : gathering == Gathering::most_of_node ? most
                                                              : static_cast<double>(ranks.size()) * most;
  return term_s(formula.terms[term], count, hardware);
}

FormulaTotal total_of(const Formula& formula, const Placement& placement, const Hardware& hardware) {
  FormulaTotal total;
  for (int node = 0; node < placement.nodes(); ++node) {
    double node_s = 0;
    for (std::size_t term = 0; term < formula.terms.size(); ++term)
      node_s += gathered_s(formula, term, node, placement, hardware);
    if (node_s > total.node_s) {
      total.node = node;
      total.node_s = node_s;
    }
  }
  for (std::size_t rank = 0; rank < formula.counts.size(); ++rank) {
    double rank_s = 0;
    for (std::size_t term = 0; term < formula.terms.size(); ++term) {
      if (formula.terms[term].gathering == Gathering::of_rank)
        rank_s += term_s(formula.terms[term], formula.counts[rank][term], hardware);
    }
    if (rank_s > total.rank_s) {
      total.rank = static_cast<int>(rank);
      total.rank_s = rank_s;
    }
  }
  return total;
}

}  // namespace finegrain
