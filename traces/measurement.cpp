// SPDX-License-Identifier: MIT
#include "traces/measurement.hpp"

#include <algorithm>

#include "traces/io/input_error.hpp"
#include "traces/quantile.hpp"

namespace finegrain {
namespace {

double seconds(const Interval& interval) {
  return static_cast<double>(interval.length_ns()) * 1e-9;
}

}  // namespace

Measurement measure(const Trace& trace) {
  Measurement result;
  std::vector<double> slowest_s;  // each iteration's time on its slowest rank
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    std::vector<std::vector<double>> phases_s;  // shape [phases][iterations]
    auto reader = trace.rank(rank);
    std::size_t iteration = 0;
    while (const auto recorded = reader.next()) {
      if (iteration == slowest_s.size()) slowest_s.push_back(0);
      slowest_s[iteration] = std::max(slowest_s[iteration], seconds(recorded->time));
      phases_s.resize(recorded->regions.size());
      for (std::size_t phase = 0; phase < recorded->regions.size(); ++phase) {
        phases_s[phase].push_back(seconds(recorded->regions[phase]));
      }
      ++iteration;
    }
    auto& medians = result.phases_s.emplace_back();
    for (auto& values : phases_s)
      medians.push_back(quantile(std::move(values), 0.5));
  }
  if (slowest_s.empty())
    throw InputError("trace", "holds no iteration (nothing was recorded)", "Record one iteration or more");
  result.iterations = static_cast<std::int64_t>(slowest_s.size());
  result.iteration_s = quantile(slowest_s, 0.5);
  result.iteration_low_s = quantile(slowest_s, 0.1);
  result.iteration_high_s = quantile(slowest_s, 0.9);
  return result;
}

}  // namespace finegrain
