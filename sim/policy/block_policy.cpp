// SPDX-License-Identifier: MIT
//
// Policy "block": a rank gets whole blocks: every block that has an element which it needs, its own blocks
// included (UPCv2, Listing 4 of Lagravière et al. 2019). With puts, the owners put the same blocks once they
// have computed them: Listing 4 of Lagravière's thesis, Paper III. Phases:
//
//     get        each        get, compute, barrier, barrier
//     put        together    compute, barrier, put, wait, barrier
//
// Order of the messages: gets by block; puts by peer, then by block.
#include <algorithm>

#include "sim/model/terms.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::policy {
namespace {

/// Puts of the blocks that the rank wrote to, if there are any.
void put_back(Body& body, std::span<const pattern::NeededBlock> blocks, Post put) {
  if (std::ranges::none_of(blocks, &pattern::NeededBlock::is_written)) return;
  body.begin_region(regions::put);
  for (const pattern::NeededBlock& block : blocks) {
    put.peer = block.owner;
    put.size_bytes = block.size_bytes;
    if (block.is_written) body.add(put);
  }
}

std::vector<Body> get_bodies(const pattern::Pattern& pattern, const Run& run) {
  std::vector<Body> ranks(static_cast<std::size_t>(run.ranks));
  Post transfer{.kind = TransferKind::get,
                .blocking = true,
                .private_memory = pattern.uses_private_memory(),
                .peer = 0,
                .size_bytes = 0};
  pattern.needed_blocks(run, [&](int rank, int stage, std::span<const pattern::NeededBlock> blocks) {
    Body& body = ranks[static_cast<std::size_t>(rank)];
    body.begin_region(regions::get);
    transfer.kind = TransferKind::get;
    for (const pattern::NeededBlock& block : blocks) {
      transfer.peer = block.owner;
      transfer.size_bytes = block.size_bytes;
      body.add(transfer);
    }
    body.add_region(regions::compute, pattern.work(run, rank, stage));
    transfer.kind = TransferKind::put;
    put_back(body, blocks, transfer);
    add_fences(body, pattern);
  });
  return ranks;
}

/// @pre nobody writes, and there is one stage
std::vector<Body> put_bodies(const pattern::Pattern& pattern, const Run& run) {
  std::vector<Body> ranks(static_cast<std::size_t>(run.ranks));
  for (int rank = 0; rank < run.ranks; ++rank) {
    ranks[static_cast<std::size_t>(rank)]
        .add_region(regions::compute, pattern.work(run, rank, 0))
        .add_region(regions::barrier, Collective{})
        .begin_region(regions::put);
  }
  pattern.needed_blocks(run, [&](int target, int /*stage*/, std::span<const pattern::NeededBlock> blocks) {
    for (const pattern::NeededBlock& block : blocks)
      ranks[static_cast<std::size_t>(block.owner)].add(Post{.kind = TransferKind::put,
                                                            .private_memory = pattern.uses_private_memory(),
                                                            .peer = target,
                                                            .size_bytes = block.size_bytes});
  });
  for (Body& body : ranks) {
    body.add_region(regions::wait, Complete::all());
    body.add_region(regions::barrier, Collective{});
  }
  return ranks;
}

class Block : public Policy {
 public:
  std::string name() const override { return "block"; }
  std::string help() const override { return "UPCv2"; }
  int order() const override { return 2; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    if (!kind.has_accesses()) return {};
    std::vector<Variant> all{{name(), Transfer::get, Completion::each}};
    if (!kind.has_writes()) all.push_back({name(), Transfer::put, Completion::together});
    return all;
  }

  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> /*counts*/) const override {
    return run.transfer == Transfer::get ? get_bodies(pattern, run) : put_bodies(pattern, run);
  }

  pattern::Volume volume(const pattern::PeerCounts& need) const override {
    return {need.blocks, need.block_values * pattern::double_bytes};
  }
  std::int64_t messages(const Run& /*run*/, std::span<const pattern::RankCounts> counts) const override {
    return total(counts, &pattern::RankCounts::blocks_local, &pattern::RankCounts::blocks_remote);
  }

  std::vector<pattern::MemoryUse> memory(const Run& run,
                                         std::span<const pattern::RankCounts> /*counts*/) const override {
    return {copy_of_x(run)};
  }
  bool has_formula() const override { return true; }
  model::Formula formula(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                         const problem::Placement& placement) const override;
  std::string formula_gap(const Run& run) const override {
    return run.transfer == Transfer::put
               ? "closed form: the paper has no puts of blocks; eqs. (11), (17), of the blocks put"
               : "";
  }

  KernelBinary kernel(const Run& run) const override {
    return {run.problem.pattern + "_block_" + std::string(to_string(run.transfer)) + "_upcxx", {}, true};
  }
  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const override {
    // Put: each rank's copy of x, and the list of the blocks that it needs.
    return 2 * pattern::double_bytes *
           (run.transfer == Transfer::get ? elements.most_of_a_rank : elements.all);
  }
};

/// The slowest node decides, eqs. (7), (11), (17). Eq. (11) is charged to `get`. With puts, which the paper
/// does not have, it counts the blocks that the rank puts, and is charged to the `wait` that follows them.
///
/// as_printed counts BLOCKSIZE elements for every block, even the partial last one; as_published counts the
/// elements that a block has.
model::Formula Block::formula(const Run& run, std::span<const pattern::RankCounts> counts,
                              model::ClosedForm form, const problem::Placement& /*placement*/) const {
  const Counted counted(run, counts, form);
  using Counts = pattern::RankCounts;
  const bool gets = run.transfer == Transfer::get;
  const std::size_t messages = gets ? 0 : 1;
  const model::RemoteTerms remote{"(11)", model::Gathering::sum_of_node, messages};
  return {.total_equation = "(17)",
          .counts_sent = !gets,
          .phases = gets ? std::vector{regions::get, regions::compute}
                         : std::vector{regions::compute, regions::wait},
          .terms = {
              counted.compute(1 - messages, model::Gathering::most_of_node),
              {.part = "local",
               .equation = "(11)",
               .symbol = counted.symbol("B_local"),
               .counted = "elements of blocks copied within the node",
               .each = "2 sizeof(double)",
               .bytes_each = 2 * model::sizeof_double,
               .gathering = model::Gathering::most_of_node,
               .phase = messages,
               .counts = gets ? counted.elements(&Counts::blocks_local, &Counts::block_values_local)
                              : counted.elements(&Counts::blocks_out_local, &Counts::block_values_out_local)},
              remote.messages("B_remote", "blocks between nodes",
                              counted.sum(gets ? &Counts::blocks_remote : &Counts::blocks_out_remote)),
              remote.values(
                  counted.symbol("B_remote"), "elements of blocks between nodes",
                  gets ? counted.elements(&Counts::blocks_remote, &Counts::block_values_remote)
                       : counted.elements(&Counts::blocks_out_remote, &Counts::block_values_out_remote))}};
}

}  // namespace

const Policy& block_policy() {
  static const Block policy;
  return policy;
}

}  // namespace finegrain::policy
