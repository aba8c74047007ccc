// SPDX-License-Identifier: MIT
//
// Policy "preparation": what MPI programs with condensed messages do once, before their first iteration
// (section 4.3.1 of Lagravière et al. 2019). Each rank finds the elements that its rows read and others own,
// and tells the owners. Phases:
//
//     find    each index of its rows is read and marks its element; the marked ones are written to lists
//     counts  each rank tells each other how many of its elements it needs (an alltoall)
//     lists   and which (an alltoallv)
//     places  the owner turns them into places of its own part of x
#include <fmt/format.h>
#include <algorithm>

#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/counted.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/preparation.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {

const Policy& condensed_policy();

namespace {

/// Every index read once; a bit of each element of x cleared, and read; the elements found. Nothing where
/// there are no rows.
Work find_work(const pattern::AccessLoop& loop, std::int64_t elements, std::int64_t found) {
  if (loop.references == 0) return {};
  return {.memory_bytes = loop.references * pattern::index_bytes + 2 * ((elements + 7) / 8) +
                          found * pattern::index_bytes};
}

class Preparation : public Policy {
 public:
  std::string name() const override { return "preparation"; }
  std::string help() const override {
    return "once before MPI's condensed: who needs what is told the owners";
  }
  int order() const override { return 9; }
  Transfer usual_transfer() const override { return Transfer::two_sided; }

  std::vector<Variant> variants(const pattern::PatternKind& kind) const override {
    const std::vector<Transfer> transfers = kind.transfers();
    if (!kind.has_accesses() || std::ranges::find(transfers, Transfer::two_sided) == transfers.end())
      return {};
    return {{name(), Transfer::two_sided, Completion::together}};
  }

  bool needs_counts() const override { return true; }
  std::vector<Body> programs(const pattern::Pattern& pattern, const Run& run,
                             std::span<const pattern::RankCounts> counts) const override {
    const auto stages = pattern.exchanges(run, counts);
    if (stages.size() != 1 || stages.front().writes || !pattern.loop(run, 0, 0))
      throw InputError("policy",
                       fmt::format("nobody knows what {} reads to prepare its messages", pattern.name()),
                       "Prepare the messages of a matrix");
    std::int64_t elements = 0;
    for (const std::int64_t of_rank : pattern::pattern_kind(run).elements_of_ranks(run))
      elements += of_rank;
    std::vector<Body> bodies;
    for (int rank = 0; rank < run.ranks; ++rank)
      bodies.push_back(program(*pattern.loop(run, rank, 0), elements,
                               stages.front().ranks[static_cast<std::size_t>(rank)], run.ranks));
    return bodies;
  }

  /// The MPI library decides which messages its collective operations are.
  void volumes(const Run& /*run*/, std::span<const pattern::RankCounts> /*counts*/,
               const OnVolume& /*visit*/) const override {}

  std::vector<pattern::MemoryUse> memory(const Run& /*run*/,
                                         std::span<const pattern::RankCounts> counts) const override {
    return {memory_use("lists", counts, [](const pattern::RankCounts& rank) {
      return pattern::index_bytes *
             (rank.values_in_local + rank.values_in_remote + rank.values_out_local + rank.values_out_remote);
    })};
  }
  KernelBinary kernel(const Run& run) const override {
    return {run.problem.pattern + "_condensed_mpi", {"--preparation"}};
  }

 private:
  static Body program(const pattern::AccessLoop& loop, std::int64_t elements,
                      const pattern::RankExchange& exchange, int ranks) {
    const auto list_bytes = [](const pattern::PeerBytes& values) {
      return values.size_bytes / pattern::double_bytes * pattern::index_bytes;
    };
    Body body;
    body.sizes.resize(2 * static_cast<std::size_t>(ranks));
    std::int64_t told_bytes = 0;
    std::int64_t heard_bytes = 0;
    for (const pattern::PeerBytes& in : exchange.in)
      told_bytes += body.sizes[static_cast<std::size_t>(in.peer)] = list_bytes(in);
    for (const pattern::PeerBytes& out : exchange.out)
      heard_bytes += body.sizes[static_cast<std::size_t>(ranks + out.peer)] = list_bytes(out);
    body.add_region(RegionName("find"), find_work(loop, elements, told_bytes / pattern::index_bytes));
    body.add_region(RegionName("counts"), Collective{.kind = CollectiveKind::alltoall,
                                                     .element_bytes = pattern::int_bytes,
                                                     .size_bytes = pattern::int_bytes});
    body.add_region(RegionName("lists"), Collective{.kind = CollectiveKind::alltoallv,
                                                    .element_bytes = pattern::index_bytes,
                                                    .size_bytes = told_bytes,
                                                    .size_count = 2 * ranks});
    // Read and written.
    body.add_region(RegionName("places"), Work{2 * heard_bytes});
    return body;
  }
};

}  // namespace

const Policy& preparation_policy() {
  static const Preparation policy;
  return policy;
}

std::optional<Run> preparation_of(const Run& run) {
  const Policy& prepares = preparation_policy();
  if (&policy(run) != &condensed_policy() || run.transfer != Transfer::two_sided ||
      settings_of(run) != Settings{} || prepares.variants(pattern::pattern_kind(run)).empty())
    return std::nullopt;
  Run once = run;
  once.policy = prepares.name();
  once.policy_settings = {};
  once.completion = Completion::together;
  once.iterations = 1;
  return once;
}

}  // namespace finegrain::policy
