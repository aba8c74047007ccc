// SPDX-License-Identifier: MIT
#include "sim/policy/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/policy/policy.hpp"
#include "traces/io/units.hpp"

namespace finegrain::policy {

std::vector<pattern::MemoryUse> memory_of(const Run& run, std::span<const pattern::RankCounts> counts) {
  if (!has_pattern(run)) return {};
  std::vector<pattern::MemoryUse> uses = pattern::pattern_kind(run).arrays(run);
  if (!uses.empty()) std::ranges::move(policy(run).memory(run, counts), std::back_inserter(uses));
  return uses;
}

std::vector<std::int64_t> bytes_of_nodes(std::span<const pattern::MemoryUse> uses,
                                         const problem::Placement& placement) {
  std::vector<std::int64_t> nodes(static_cast<std::size_t>(placement.nodes()));
  for (const pattern::MemoryUse& use : uses)
    for (std::size_t rank = 0; rank < use.ranks_bytes.size(); ++rank)
      nodes[static_cast<std::size_t>(placement.node(static_cast<int>(rank)))] += use.ranks_bytes[rank];
  return nodes;
}

std::string too_little_memory(const Run& run, std::span<const pattern::RankCounts> counts,
                              const problem::Placement& placement, const platform::Platform& platform) {
  if (!platform.costs.memory_size_bytes) return {};
  const std::vector<std::int64_t> needed = bytes_of_nodes(memory_of(run, counts), placement);
  // Where nodes are alike, the one that needs most decides.
  std::size_t node = 0;
  double most_share = 0;
  for (std::size_t n = 0; n < needed.size(); ++n) {
    const double share = static_cast<double>(needed[n]) / *platform.costs_of_node(n).memory_size_bytes;
    if (share <= most_share) continue;
    most_share = share;
    node = n;
  }
  if (most_share <= 1) return {};
  return fmt::format("{} on {} needs {:.4g} GB of memory on {}, and {} has {:.4g} GB", describe(run),
                     format_count(run.ranks, "rank"), static_cast<double>(needed[node]) / 1e9,
                     platform.nodes.empty() ? "a node" : "node " + platform.nodes[node].name,
                     platform.nodes.empty() ? platform.name : "it",
                     *platform.costs_of_node(node).memory_size_bytes / 1e9);
}

}  // namespace finegrain::policy
