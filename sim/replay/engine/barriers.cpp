// SPDX-License-Identifier: MIT
#include "sim/replay/engine/barriers.hpp"

#include <algorithm>

namespace finegrain::replay {

Barriers::Barriers(std::size_t ranks, std::span<const int> groups) : groups_(groups), sizes_{ranks} {
  if (!groups.empty()) {
    sizes_.assign(static_cast<std::size_t>(std::ranges::max(groups)) + 1, 0);
    for (const int group : groups)
      ++sizes_[static_cast<std::size_t>(group)];
  }
  waiting_.resize(sizes_.size());
}

std::span<const Barriers::Waiting> Barriers::enter(std::size_t rank, double now_s) {
  const std::size_t group = groups_.empty() ? 0 : static_cast<std::size_t>(groups_[rank]);
  std::vector<Waiting>& waiting = waiting_[group];
  waiting.push_back({rank, now_s});
  if (waiting.size() < sizes_[group]) return {};
  leaving_.clear();
  leaving_.swap(waiting);
  return leaving_;
}

std::vector<double> times_of_rounds(std::span<const Barriers::Waiting> waiting,
                                    const std::function<double(std::size_t, std::size_t)>& hop_s,
                                    const std::function<double(std::size_t, double)>& noticed_s) {
  std::vector<double> done_s(waiting.size());
  std::ranges::transform(waiting, done_s.begin(), &Barriers::Waiting::since_s);
  for (std::size_t distance = 1; distance < waiting.size(); distance *= 2) {
    const std::vector<double> sent_s = done_s;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::size_t from = (i + waiting.size() - distance) % waiting.size();
      const double there_s = sent_s[from] + hop_s(waiting[from].rank, waiting[i].rank);
      if (there_s > done_s[i]) done_s[i] = noticed_s(waiting[i].rank, there_s);
    }
  }
  return done_s;
}

}  // namespace finegrain::replay
