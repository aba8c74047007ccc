// SPDX-License-Identifier: MIT
#include "sim/replay/coupling.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace finegrain {
namespace {

bool has_barrier(const Iteration& iteration) {
  return std::any_of(iteration.phases.begin(), iteration.phases.end(),
                     [](const Phase& phase) { return phase.kind == PhaseKind::barrier; });
}

}  // namespace

bool is_idle(const Iteration& iteration) {
  return iteration.messages.empty() && std::ranges::none_of(iteration.phases, [](const Phase& phase) {
           return phase.kind == PhaseKind::barrier || phase.memory_bytes > 0;
         });
}

bool is_coupled(const Schedule& schedule) {
  // Barriers are met by all ranks or none: check_schedule().
  if (has_barrier(schedule.ranks.front())) return true;

  std::set<std::pair<int, int>> sends;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Message& message : schedule.ranks[rank].messages) {
      if (message.kind == MessageKind::send) sends.emplace(static_cast<int>(rank), message.peer);
    }
  }
  std::vector<bool> reached;
  for (const Iteration& iteration : schedule.ranks)
    reached.push_back(is_idle(iteration));
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

}  // namespace finegrain
