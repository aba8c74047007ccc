// SPDX-License-Identifier: MIT
#include "kernels/run/kernel_run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <optional>

#include "kernels/run/environment.hpp"
#include "kernels/run/node_layout.hpp"
#include "kernels/run/run_report.hpp"
#include "kernels/run/timed_loop.hpp"
#include "kernels/run/trace_recording.hpp"

namespace finegrain::kernels {
namespace {

/// The manifest before anything is recorded.
Manifest describe(const Session& session, const RunOptions& options, const KernelRun& kernel,
                  const NodeLayout& layout) {
  Manifest manifest;
  manifest.run = {.problem = kernel.problem,
                  .policy = kernel.policy,
                  .policy_settings = kernel.policy_settings,
                  .transfer = kernel.transfer,
                  .completion = kernel.completion,
                  .ranks = session.ranks(),
                  .ranks_per_node = layout.ranks_per_node,
                  .threads_per_rank = omp_get_max_threads(),
                  .iterations = options.iterations};
  manifest.implementation = session.implementation();
  manifest.warmup_iterations = options.warmup_iterations;
  manifest.oversubscribed = layout.oversubscribed;
  manifest.environment = environment(session, layout);
  manifest.environment["resolution"] = fmt::format("{} ns", options.resolution_ns);
  return manifest;
}

}  // namespace

int time_and_check(const Session& session, const RunOptions& options, const KernelRun& kernel,
                   RecordedPhases& phases, const std::function<void()>& iterate,
                   const std::function<CheckResult(std::int64_t iterations)>& check) {
  const NodeLayout layout = find_node_layout(session, omp_get_max_threads(), options.ranks_per_node);
  std::optional<TraceRecording> recording;
  if (options.record_folder)
    recording.emplace(session, *options.record_folder, describe(session, options, kernel, layout),
                      options.resolution_ns, options.force);
  const IterationSeconds seconds =
      timed_loop(session, options, phases, recording ? recording->recorder() : nullptr, iterate);
  const bool trace_complete = !recording || recording->finish();
  std::optional<CheckResult> checked;
  if (options.check) checked = check(options.warmup_iterations + options.iterations);
  return report(session, options,
                {kernel.name, kernel.problem_text, omp_get_max_threads(), layout, seconds,
                 kernel.flops_per_iteration, checked, trace_complete});
}

}  // namespace finegrain::kernels
