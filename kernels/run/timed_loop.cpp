// SPDX-License-Identifier: MIT
#include "kernels/run/timed_loop.hpp"

#include <algorithm>

#include "traces/quantile.hpp"

namespace finegrain::kernels {

IterationSeconds summarize(const Session& session, const std::vector<std::int64_t>& durations_ns) {
  std::vector<double> slowest_s;
  for (const std::int64_t duration_ns : durations_ns)
    slowest_s.push_back(static_cast<double>(duration_ns) * 1e-9);
  session.maximize(slowest_s);
  const auto [shortest, longest] = std::minmax_element(slowest_s.begin(), slowest_s.end());
  return {quantile(slowest_s, 0.5), *shortest, *longest};
}

}  // namespace finegrain::kernels
