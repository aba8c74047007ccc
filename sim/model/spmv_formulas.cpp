// SPDX-License-Identifier: MIT
#include "sim/model/spmv_formulas.hpp"

#include <algorithm>
#include <cassert>

namespace finegrain {
namespace {

/// The counts of all ranks, and how the equations read a block.
class Counted {
 public:
  Counted(const Run& run, std::span<const RankCounts> ranks, ClosedForm form)
      : problem_(std::get<SpmvProblem>(run.problem)),
        ranks_(ranks),
        full_blocks_(form == ClosedForm::as_printed) {}

  const SpmvProblem& problem() const { return problem_; }
  /// What the equations multiply by BLOCKSIZE.
  std::string symbol(const std::string& blocks) const {
    return full_blocks_ ? blocks + " BLOCKSIZE" : "elements of " + blocks;
  }
  /// The sum of members, of every rank.
  template <class... Members>
  std::vector<double> sum(Members... members) const {
    std::vector<double> counts;
    for (const RankCounts& rank : ranks_)
      counts.push_back(static_cast<double>(((rank.*members) + ...)));
    return counts;
  }
  /// The elements of so many blocks.
  std::vector<double> elements(std::int64_t RankCounts::*blocks, std::int64_t RankCounts::*values) const {
    std::vector<double> counts = sum(full_blocks_ ? blocks : values);
    if (full_blocks_)
      for (double& count : counts)
        count *= static_cast<double>(problem_.block_size);
    return counts;
  }
  /// Eq. (7).
  FormulaTerm compute(std::size_t phase, Gathering gathering) const {
    return {.part = "compute",
            .equation = "(7)",
            .symbol = symbol("B_comp"),
            .counted = "rows multiplied",
            .each = "(r_nz (sizeof(double) + sizeof(int)) + 3 sizeof(double))",
            .bytes_each = row_traffic_bytes(problem_.r_nz),
            .gathering = gathering,
            .phase = phase,
            .counts = elements(&RankCounts::blocks, &RankCounts::rows)};
  }
  /// The share of an overlapped program's rows that it multiplies before it waits: the interior ones.
  std::vector<double> interior(std::vector<double> rows) const {
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      const RankCounts& of_rank = ranks_[rank];
      if (of_rank.rows > 0)
        rows[rank] *= static_cast<double>(of_rank.interior_rows) / static_cast<double>(of_rank.rows);
    }
    return rows;
  }

 private:
  SpmvProblem problem_;
  std::span<const RankCounts> ranks_;
  bool full_blocks_;
};

Formula individual_formula(const Counted& counted) {
  return {.total_equation = "(16)",
          .phases = {regions::compute},
          .terms = {counted.compute(0, Gathering::of_rank),
                    {.part = "local",
                     .equation = "(10)",
                     .symbol = "C_local,indv",
                     .counted = "accesses within the node",
                     .each = "sizeof(cache line)",
                     .cache_lines_each = 1,
                     .counts = counted.sum(&RankCounts::accesses_local)},
                    {.part = "remote",
                     .equation = "(10)",
                     .symbol = "C_remote,indv",
                     .counted = "accesses of other nodes",
                     .cost = Cost::tau,
                     .counts = counted.sum(&RankCounts::accesses_remote)}}};
}

Formula block_formula(const Counted& counted, bool gets) {
  using Counts = RankCounts;
  const std::size_t messages = gets ? 0 : 1;
  return {
      .total_equation = "(17)",
      .phases =
          gets ? std::vector{regions::get, regions::compute} : std::vector{regions::compute, regions::wait},
      .terms = {
          counted.compute(1 - messages, Gathering::most_of_node),
          {.part = "local",
           .equation = "(11)",
           .symbol = counted.symbol("B_local"),
           .counted = "elements of blocks copied within the node",
           .each = "2 sizeof(double)",
           .bytes_each = 2 * sizeof_double,
           .gathering = Gathering::most_of_node,
           .phase = messages,
           .counts = gets ? counted.elements(&Counts::blocks_local, &Counts::block_values_local)
                          : counted.elements(&Counts::blocks_out_local, &Counts::block_values_out_local)},
          {.part = "remote",
           .equation = "(11)",
           .symbol = "B_remote",
           .counted = "blocks between nodes",
           .cost = Cost::tau,
           .gathering = Gathering::sum_of_node,
           .phase = messages,
           .counts = counted.sum(gets ? &Counts::blocks_remote : &Counts::blocks_out_remote)},
          {.part = "remote",
           .equation = "(11)",
           .symbol = counted.symbol("B_remote"),
           .counted = "elements of blocks between nodes",
           .each = "sizeof(double)",
           .bytes_each = sizeof_double,
           .cost = Cost::remote_bytes,
           .gathering = Gathering::sum_of_node,
           .phase = messages,
           .counts = gets ? counted.elements(&Counts::blocks_remote, &Counts::block_values_remote)
                          : counted.elements(&Counts::blocks_out_remote, &Counts::block_values_out_remote)}}};
}

Formula condensed_formula(const Counted& counted, Transfer transfer, Completion completion) {
  const bool overlapped = completion == Completion::overlapped;
  Formula formula{.total_equation = "(18)", .phases = {regions::pack}, .terms = {}};
  const auto begin_phase = [&](RegionName name) {
    formula.phases.push_back(name);
    return formula.phases.size() - 1;
  };
  const bool copies_first = overlapped || transfer == Transfer::two_sided;
  std::size_t copy = copies_first ? begin_phase(regions::copy) : 0;
  const std::size_t early = overlapped ? begin_phase(regions::compute) : 0;
  const std::size_t messages = begin_phase(completion == Completion::each ? regions::put : regions::wait);
  if (!copies_first) copy = begin_phase(regions::copy);
  const std::size_t unpack = begin_phase(regions::unpack);
  FormulaTerm compute = counted.compute(begin_phase(regions::compute), Gathering::of_rank);
  if (overlapped) {
    compute.early_counts = counted.interior(compute.counts);
    compute.early_phase = early;
  }
  formula.terms = {{.part = "pack",
                    .equation = "(12)",
                    .symbol = "(S_local,out + S_remote,out)",
                    .counted = "values packed",
                    .each = "(2 sizeof(double) + sizeof(int))",
                    .bytes_each = 2 * sizeof_double + sizeof_int,
                    .gathering = Gathering::most_of_node,
                    .counts = counted.sum(&RankCounts::values_out_local, &RankCounts::values_out_remote)},
                   {.part = "local",
                    .equation = "(13)",
                    .symbol = "S_local,out",
                    .counted = "values sent within the node",
                    .each = "2 sizeof(double)",
                    .bytes_each = 2 * sizeof_double,
                    .gathering = Gathering::most_of_node,
                    .phase = messages,
                    .counts = counted.sum(&RankCounts::values_out_local)},
                   {.part = "remote",
                    .equation = "(13)",
                    .symbol = "C_remote,out",
                    .counted = "messages sent between nodes",
                    .cost = Cost::tau,
                    .gathering = Gathering::sum_of_node,
                    .phase = messages,
                    .counts = counted.sum(&RankCounts::messages_out_remote)},
                   {.part = "remote",
                    .equation = "(13)",
                    .symbol = "S_remote,out",
                    .counted = "values sent between nodes",
                    .each = "sizeof(double)",
                    .bytes_each = sizeof_double,
                    .cost = Cost::remote_bytes,
                    .gathering = Gathering::sum_of_node,
                    .phase = messages,
                    .counts = counted.sum(&RankCounts::values_out_remote)},
                   {.part = "copy",
                    .equation = "(14)",
                    .symbol = counted.symbol("B_comp"),
                    .counted = "own elements of x copied",
                    .each = "2 sizeof(double)",
                    .bytes_each = 2 * sizeof_double,
                    .phase = copy,
                    .counts = counted.elements(&RankCounts::blocks, &RankCounts::rows)},
                   {.part = "unpack",
                    .equation = "(15)",
                    .symbol = "(S_local,in + S_remote,in)",
                    .counted = "values unpacked",
                    .each = "(sizeof(double) + sizeof(int) + sizeof(cache line))",
                    .bytes_each = sizeof_double + sizeof_int,
                    .cache_lines_each = 1,
                    .phase = unpack,
                    .counts = counted.sum(&RankCounts::values_in_local, &RankCounts::values_in_remote)},
                   std::move(compute)};
  return formula;
}

/// What one rank needs of another.
PeerCounts needs_of(const RankCounts& reader, int owner) {
  const auto found = std::ranges::lower_bound(reader.needs, owner, {}, &PeerCounts::peer);
  return found != reader.needs.end() && found->peer == owner ? *found : PeerCounts{};
}

}  // namespace

double row_traffic_bytes(int r_nz) {
  return r_nz * (sizeof_double + sizeof_int) + 3 * sizeof_double;
}

Formula spmv_formula(const Run& run, std::span<const RankCounts> counts, ClosedForm form) {
  const Counted counted(run, counts, form);
  switch (run.policy) {
    case Policy::naive:
      break;
    case Policy::individual:
      return individual_formula(counted);
    case Policy::block:
      return block_formula(counted, run.transfer == Transfer::get);
    case Policy::condensed:
      return condensed_formula(counted, run.transfer, run.completion);
  }
  assert(false);
  return {};
}

RankCounts counts_between(std::span<const RankCounts> counts, const Placement& placement, int rank,
                          int peer) {
  const bool local = placement.same_node(rank, peer);
  const PeerCounts in = needs_of(counts[static_cast<std::size_t>(rank)], peer);
  const PeerCounts out = needs_of(counts[static_cast<std::size_t>(peer)], rank);
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

}  // namespace finegrain
