// SPDX-License-Identifier: MIT
#include "sim/schedule/idle_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "kernels/problem/distribution.hpp"

namespace finegrain {

std::vector<int> idle_ranks(const Run& run) {
  const auto* spmv = std::get_if<SpmvProblem>(&run.problem);
  if (spmv == nullptr) return {};
  const std::int64_t blocks = Distribution(spmv->rows, run.ranks, spmv->block_size).blocks();
  std::vector<int> idle(static_cast<std::size_t>(std::max<std::int64_t>(0, run.ranks - blocks)));
  std::iota(idle.begin(), idle.end(), run.ranks - static_cast<int>(idle.size()));
  return idle;
}

std::vector<std::string> idle_ranks_notes(std::span<const Run> runs) {
  std::vector<std::string> named;
  for (const Run& run : runs) {
    const std::vector<int> idle = idle_ranks(run);
    if (idle.empty()) continue;
    const std::string ranks =
        idle.size() == 1 ? fmt::format("of {} ranks, number {}", run.ranks, idle.front())
                         : fmt::format("of {} ranks, {} to {}", run.ranks, idle.front(), idle.back());
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

}  // namespace finegrain
