// SPDX-License-Identifier: MIT
#include "sim/policy/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/policy/policy.hpp"
#include "traces/io/units.hpp"

namespace finegrain::policy {

std::vector<pattern::MemoryUse> memory_of(const Run& run, std::span<const pattern::RankCounts> counts) {
  if (is_program(run)) return {};
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
  const double needed =
      static_cast<double>(std::ranges::max(bytes_of_nodes(memory_of(run, counts), placement)));
  const double has = *platform.costs.memory_size_bytes;
  if (needed <= has) return {};
  return fmt::format("{} on {} needs {:.4g} GB of memory on a node, and {} has {:.4g} GB", describe(run),
                     format_count(run.ranks, "rank"), needed / 1e9, platform.name, has / 1e9);
}

}  // namespace finegrain::policy
