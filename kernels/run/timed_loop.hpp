// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/clock.hpp"
#include "kernels/run/iteration_progress.hpp"
#include "kernels/run/recorded_phases.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/session.hpp"

namespace finegrain {

/// Seconds of one iteration: each iteration counts with its slowest rank's time, and of those the median,
/// shortest and longest are kept.
struct IterationSeconds {
  double median = 0;
  double shortest = 0;
  double longest = 0;
};

/// Collective. @param durations_ns  of this rank, shape [iterations], at least one
IterationSeconds summarize(const Session& session, const std::vector<std::int64_t>& durations_ns);

/// Collective: warms up, meets at one barrier, then times the iterations, recording them if there is a
/// recorder. No barrier stands between iterations: a rank starts the next one when its own is done.
template <class Iteration>
IterationSeconds timed_loop(const Session& session, const RunOptions& options, RecordedPhases& phases,
                            Recorder* recorder, Iteration iteration) {
  for (int i = 0; i < options.warmup_iterations; ++i)
    iteration();
  std::vector<std::int64_t> durations_ns(static_cast<std::size_t>(options.iterations));
  IterationProgress progress(options.progress && session.is_first(), options.iterations);
  session.barrier();
  phases.record_to(recorder);
  for (std::int64_t& duration_ns : durations_ns) {
    const std::int64_t start_ns = clock_ns();
    phases.begin_iteration();
    iteration();
    phases.end_iteration();
    const std::int64_t end_ns = clock_ns();
    duration_ns = end_ns - start_ns;
    progress.finished_one(end_ns);
  }
  phases.record_to(nullptr);
  return summarize(session, durations_ns);
}

}  // namespace finegrain
