// SPDX-License-Identifier: MIT
#include "sim/policy/idle_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/pattern/pattern.hpp"
#include "traces/io/units.hpp"

namespace finegrain::policy {

std::vector<int> idle_ranks(const Run& run) {
  const std::vector<std::int64_t> elements = pattern::pattern_kind(run).elements_of_ranks(run);
  std::vector<int> idle;
  for (int rank = 0; rank < run.ranks; ++rank)
    if (elements[static_cast<std::size_t>(rank)] == 0) idle.push_back(rank);
  return idle;
}

std::vector<std::string> idle_ranks_notes(std::span<const Run> runs) {
  std::vector<std::string> named;
  for (const Run& run : runs) {
    const std::vector<int> idle = idle_ranks(run);
    if (idle.empty()) continue;
    const std::string ranks =
        idle.size() == 1
            ? fmt::format("of {}, number {}", format_count(run.ranks, "rank"), idle.front())
            : fmt::format("of {}, {} to {}", format_count(run.ranks, "rank"), idle.front(), idle.back());
    if (std::ranges::find(named, ranks) == named.end()) named.push_back(ranks);
  }
  if (named.empty()) return {};
  constexpr std::size_t most_named = 6;
  if (named.size() > most_named) {
    const std::size_t others = named.size() - most_named;
    named.resize(most_named);
    named.push_back(fmt::format("and in {} other layouts", others));
  }
  return {fmt::format("Idle ranks, which own no row: {}.", fmt::join(named, "; "))};
}

}  // namespace finegrain::policy
