// SPDX-License-Identifier: MIT
// Barriers of schedules. Those of recorded programs are collectives (collectives_under_way.cpp).
#include <algorithm>

#include "sim/replay/engine/simulation.hpp"

namespace finegrain::replay {

void FlowSimulation::meet(std::size_t number, double seconds) {
  const std::size_t group = job_.groups.empty() ? 0 : static_cast<std::size_t>(job_.groups[number]);
  std::vector<Waiting>& waiting = at_barrier_[group];
  waiting.push_back({number, now_s()});
  if (waiting.size() < group_sizes_[group]) return;
  if (job_.platform->costs.replies_wait && seconds > 0) {
    leave_in_rounds(waiting);
  } else {
    for (const Waiting& one : waiting)
      events_.schedule(one.rank, noticed_s(one.rank, now_s() + seconds));
  }
  waiting.clear();
}

/// A dissemination barrier: in round r, rank i waits for rank i - 2^r. Where ranks answer only while they are
/// in a call, it matters who leaves first: the rank that came last, for the others' messages are there.
void FlowSimulation::leave_in_rounds(std::vector<Waiting>& waiting) {
  std::ranges::sort(waiting, {}, &Waiting::rank);
  std::vector<double> done_s(waiting.size());
  std::ranges::transform(waiting, done_s.begin(), &Waiting::since_s);
  for (std::size_t distance = 1; distance < waiting.size(); distance *= 2) {
    const std::vector<double> sent_s = done_s;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::size_t from = (i + waiting.size() - distance) % waiting.size();
      const double there_s = sent_s[from] + compiler_.hop_s(waiting[from].rank, waiting[i].rank);
      if (there_s > done_s[i]) done_s[i] = noticed_s(waiting[i].rank, there_s);
    }
  }
  for (std::size_t i = 0; i < waiting.size(); ++i)
    wake(waiting[i].rank, std::max(now_s(), done_s[i]));
}

}  // namespace finegrain::replay
