// SPDX-License-Identifier: MIT
#include "sim/policy/node_aware_plan.hpp"

#include <algorithm>
#include <cassert>

#include "sim/pattern/memory_bytes.hpp"

namespace finegrain::policy::node_aware {
namespace {

/// The nodes as the program sees them.
class Nodes {
 public:
  explicit Nodes(const Run& run) : ranks_(run.ranks), ranks_per_node_(run.ranks_per_node) {}

  int node(int rank) const { return rank / ranks_per_node_; }
  bool are_same(int rank, int other) const { return node(rank) == node(other); }
  /// The rank that leads for `node` in its messages with the node `other`. The other nodes are dealt out to
  /// the node's ranks.
  std::int32_t leader(int node, int other) const {
    const int first = node * ranks_per_node_;
    return first + other % std::min(ranks_per_node_, ranks_ - first);
  }

 private:
  int ranks_;
  int ranks_per_node_;
};

}  // namespace

Sizes Plan::gather() const {
  Sizes messages = direct;
  for (const auto& [pair, size_bytes] : parts)
    if (pair.first != pair.second) messages[pair] += size_bytes;
  return messages;
}

Plan plan_of(const Run& run, std::span<const std::vector<pattern::PeerBytes>> needs) {
  const Nodes nodes(run);
  Plan plan;
  for (std::size_t index = 0; index < needs.size(); ++index) {
    const auto reader = static_cast<std::int32_t>(index);
    for (const auto& [owner, size_bytes, node_bytes] : needs[index]) {
      if (nodes.are_same(owner, reader)) {
        plan.direct[{owner, reader}] += size_bytes;
        continue;
      }
      const int from = nodes.node(owner);
      const int to = nodes.node(reader);
      const Pair leaders(nodes.leader(from, to), nodes.leader(to, from));
      if (node_bytes > 0) plan.parts[{owner, leaders.first}] += node_bytes;
      plan.exchange[leaders] += node_bytes;
      plan.scatter[{leaders.second, reader}] += size_bytes;
    }
  }
  assert(std::ranges::none_of(plan.exchange, [](const auto& message) { return message.second == 0; }));
  return plan;
}

Plan plan_of(const Run& run, std::span<const pattern::RankCounts> counts) {
  std::vector<std::vector<pattern::PeerBytes>> needs;
  for (const pattern::RankCounts& rank : counts) {
    std::vector<pattern::PeerBytes>& of_rank = needs.emplace_back();
    for (const pattern::PeerCounts& need : rank.needs)
      of_rank.push_back(
          {need.peer, need.values * pattern::double_bytes, need.node_values * pattern::double_bytes});
  }
  return plan_of(run, needs);
}

std::vector<Messages> messages_of(const Sizes& round, std::size_t ranks) {
  std::vector<Messages> all(ranks);
  for (const auto& [pair, size_bytes] : round) {
    const auto& [from, to] = pair;
    if (from == to) continue;
    all[static_cast<std::size_t>(from)].out.push_back({to, size_bytes});
    all[static_cast<std::size_t>(to)].in.push_back({from, size_bytes});
  }
  return all;
}

Totals::Totals(const Plan& plan, std::size_t ranks) : packed(ranks), gathered(ranks), scattered(ranks) {
  const auto at = [](std::vector<std::int64_t>& sums, std::int32_t rank) -> std::int64_t& {
    return sums[static_cast<std::size_t>(rank)];
  };
  for (const auto& [pair, size_bytes] : plan.direct)
    at(packed, pair.first) += size_bytes;
  for (const auto& [pair, size_bytes] : plan.parts) {
    at(packed, pair.first) += size_bytes;
    if (pair.first != pair.second) at(gathered, pair.second) += size_bytes;
  }
  for (const auto& [pair, size_bytes] : plan.scatter)
    at(scattered, pair.first) += size_bytes;
}

}  // namespace finegrain::policy::node_aware
