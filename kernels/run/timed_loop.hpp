// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/clock.hpp"
#include "kernels/run/iteration_progress.hpp"
#include "kernels/run/recorded_phases.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// Seconds of one iteration: each iteration counts with its slowest rank's time, and of those the median,
/// shortest and longest are kept. In a run of more than a million iterations, only every second, third, ...
/// iteration counts.
struct IterationSeconds {
  double median = 0;
  double shortest = 0;
  double longest = 0;
};

/// A limit, so that memory does not grow with the run.
constexpr std::int64_t most_durations = std::int64_t{1} << 20;

/// Collective. @param durations_ns  this rank's, shape [iterations], at least one
IterationSeconds summarize(const Session& session, const std::vector<std::int64_t>& durations_ns);

/// Collective: warms up, meets at one barrier, then times the iterations, recording them if there is a
/// recorder. No barrier stands between iterations: a rank starts the next one when its own is done.
template <class Iteration>
IterationSeconds timed_loop(const Session& session, const RunOptions& options, RecordedPhases& phases,
                            Recorder* recorder, Iteration iteration) {
  for (int i = 0; i < options.warmup_iterations; ++i)
    iteration();
  const std::int64_t every = (options.iterations + most_durations - 1) / most_durations;
  std::vector<std::int64_t> durations_ns;
  durations_ns.reserve(static_cast<std::size_t>((options.iterations + every - 1) / every));
  IterationProgress progress(options.progress && session.is_first(), options.iterations);
  session.barrier();
  phases.record_to(recorder);
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    const std::int64_t start_ns = clock_ns();
    phases.begin_iteration();
    iteration();
    phases.end_iteration();
    const std::int64_t end_ns = clock_ns();
    if (i % every == 0) durations_ns.push_back(end_ns - start_ns);
    progress.finished_one(end_ns);
  }
  phases.record_to(nullptr);
  return summarize(session, durations_ns);
}

}  // namespace finegrain::kernels
