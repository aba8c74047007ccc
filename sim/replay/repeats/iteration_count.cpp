// SPDX-License-Identifier: MIT
#include "sim/replay/repeats/iteration_count.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/replay/programs/coupling.hpp"

namespace finegrain::replay {
namespace {

/// Iterations that a rank may be ahead of another: all of them are remembered.
constexpr std::size_t most_ahead = 10'000;

}  // namespace

IterationCount::IterationCount(const Schedule& schedule, const ReplayOptions& options)
    : iterations_(schedule.run.iterations),
      to_simulate_(iterations_),
      is_idle_(schedule.ranks.size(), false),
      working_(schedule.ranks.size(), 0) {
  if (options.repeat_tolerance <= 0) return;
  std::size_t working = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    is_idle_[rank] = is_idle(schedule.ranks[rank]);
    working_[rank] = is_idle_[rank] ? 0 : working++;
  }
  if (working == 0) to_simulate_ = 1;
  RepeatSettings settings{options.repeat_tolerance, std::nullopt};
  // Uncoupled ranks share their node's memory in ever new ways until the first of them is done, so no mean
  // of some iterations represents the others. They are cheap to simulate.
  if (is_coupled(schedule)) settings.most_iterations = options.most_iterations;
  detector_.emplace(working, settings);
}

IterationCount::IterationCount(std::size_t ranks, std::int64_t iterations, const ReplayOptions& options,
                               bool is_coupled)
    : iterations_(iterations), to_simulate_(iterations), is_idle_(ranks, false), working_(ranks) {
  std::iota(working_.begin(), working_.end(), std::size_t{0});
  RepeatSettings settings{options.repeat_tolerance, std::nullopt};
  if (is_coupled) settings.most_iterations = options.most_iterations;
  detector_.emplace(ranks, settings);
}

void IterationCount::began(std::size_t rank, const RankReplay& so_far) {
  if (detector_ && !is_idle_[rank]) detector_->began(working_[rank], so_far);
}

void IterationCount::started(std::size_t rank, std::int64_t iteration) {
  if (!is_idle_[rank]) started_ = std::max(started_, iteration + 1);
}

void IterationCount::finished(std::size_t rank, const RankReplay& so_far) {
  if (!detector_ || is_idle_[rank]) return;
  period_ = detector_->finished(working_[rank], so_far);
  if (!period_) {
    if (detector_->ahead(working_[rank]) > most_ahead) detector_.reset();
    return;
  }
  // Ranks that are ahead have started later iterations already: those are simulated, and the whole periods
  // after them are not. So the last iteration ends as it does in a full simulation, with no rank ahead.
  skipped_periods_ = (to_simulate_ - started_) / period_->iterations;
  to_simulate_ -= skipped_periods_ * period_->iterations;
  detector_.reset();
}

RankReplay IterationCount::completed(std::size_t rank, RankReplay simulated) const {
  if (is_idle_[rank]) {
    add(simulated, static_cast<double>(iterations_ - 1), RankReplay(simulated));
  } else if (period_) {
    add(simulated, static_cast<double>(skipped_periods_), period_->advances[working_[rank]]);
  }
  return simulated;
}

void IterationCount::report(ReplayResult& result) const {
  result.simulated_iterations = to_simulate_;
  if (skipped_periods_ == 0) return;
  result.repeats = period_->repeats;
  result.repeat_change = period_->change;
}

}  // namespace finegrain::replay
