// SPDX-License-Identifier: MIT
#include "traces/scaling/work_trends.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace finegrain::scaling {

void WorkTrends::add(int ranks, std::span<const Program> programs) {
  std::map<Between, Mean>& means = means_[ranks];
  for (const Program& program : programs) {
    for (const Part& part : program) {
      Mean& mean = means[between(part.call)];
      mean.sum_ns += part.call.work_ns;
      ++mean.count;
    }
  }
}

double WorkTrends::exponent(const Call& call) const {
  if (means_.size() < 2) return 0;
  const auto most = std::prev(means_.end());
  const auto fewer = std::prev(most);
  const auto mean_ns = [&](const auto& of_ranks) {
    const auto found = of_ranks.second.find(between(call));
    return found == of_ranks.second.end() ? 0 : found->second.value_ns();
  };
  if (mean_ns(*most) <= 0 || mean_ns(*fewer) <= 0) return 0;
  return std::clamp(
      std::log(mean_ns(*most) / mean_ns(*fewer)) / std::log(static_cast<double>(most->first) / fewer->first),
      -1.0, 1.0);
}

}  // namespace finegrain::scaling
