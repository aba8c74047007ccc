// SPDX-License-Identifier: MIT
#include "sim/replay/iteration_count.hpp"

#include <algorithm>
#include <utility>

#include "sim/replay/coupling.hpp"

namespace finegrain {

IterationCount::IterationCount(const Schedule& schedule, const ReplayOptions& options)
    : to_simulate_(schedule.run.iterations) {
  if (options.repeat_tolerance <= 0) return;
  RepeatSettings settings{options.repeat_tolerance, std::nullopt};
  // Ranks that nothing couples share their node's memory in ever new ways, until the first of them is done:
  // no mean of some iterations stands for the others. They are cheap to simulate.
  if (is_coupled(schedule)) settings.most_iterations = options.most_iterations;
  detector_.emplace(schedule.ranks.size(), settings);
}

void IterationCount::started(std::int64_t iteration) {
  started_ = std::max(started_, iteration + 1);
}

void IterationCount::finished(std::size_t rank, double clock_s, std::span<const double> phases_s) {
  if (!detector_) return;
  period_ = detector_->finished(rank, clock_s, phases_s);
  if (!period_) return;
  // Ranks that are ahead have started later iterations already: those are simulated, and the whole periods
  // after them are not. So the last iteration ends as it does in a full simulation, with nobody ahead.
  skipped_periods_ = (to_simulate_ - started_) / period_->iterations;
  to_simulate_ -= skipped_periods_ * period_->iterations;
  detector_.reset();
}

RankReplay IterationCount::completed(std::size_t rank, RankReplay simulated) const {
  if (!period_) return simulated;
  const auto periods = static_cast<double>(skipped_periods_);
  simulated.finish_s += periods * period_->seconds[rank];
  for (std::size_t p = 0; p < simulated.phases_s.size(); ++p)
    simulated.phases_s[p] += periods * period_->phases_s[rank][p];
  return simulated;
}

void IterationCount::report(ReplayResult& result) const {
  result.simulated_iterations = to_simulate_;
  if (skipped_periods_ == 0) return;
  result.repeats = period_->repeats;
  result.repeat_change = period_->change;
}

}  // namespace finegrain
