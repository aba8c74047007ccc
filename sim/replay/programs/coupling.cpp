// SPDX-License-Identifier: MIT
#include "sim/replay/programs/coupling.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace finegrain::replay {
namespace {

bool has_barrier(const Body& body) {
  return std::ranges::any_of(body.operations, [](const Operation& operation) {
    return std::holds_alternative<Collective>(operation);
  });
}

}  // namespace

bool is_idle(const Body& body) {
  return std::ranges::all_of(body.operations, [](const Operation& operation) {
    const auto* work = std::get_if<Work>(&operation);
    return std::holds_alternative<Complete>(operation) || (work != nullptr && *work == Work{});
  });
}

bool is_coupled(const Schedule& schedule) {
  // Barriers are met by all ranks or none: check_schedule().
  if (has_barrier(schedule.ranks.front())) return true;

  std::set<std::pair<int, int>> sends;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for_each_post(schedule.ranks[rank].operations, [&](const Post& post) {
      if (post.kind == TransferKind::send) sends.emplace(static_cast<int>(rank), post.peer);
    });
  }
  std::vector<bool> reached;
  for (const Body& body : schedule.ranks)
    reached.push_back(is_idle(body));
  const auto first = std::ranges::find(reached, false);
  if (first == reached.end()) return true;
  *first = true;
  std::vector<int> to_visit{static_cast<int>(first - reached.begin())};
  while (!to_visit.empty()) {
    const int rank = to_visit.back();
    to_visit.pop_back();
    for (auto send = sends.lower_bound({rank, 0}); send != sends.end() && send->first == rank; ++send) {
      const auto peer = static_cast<std::size_t>(send->second);
      if (reached[peer] || !sends.contains({send->second, rank})) continue;
      reached[peer] = true;
      to_visit.push_back(send->second);
    }
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

}  // namespace finegrain::replay
