// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/answer/evaluate.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"
#include "traces/measurement.hpp"
#include "traces/programs.hpp"

namespace finegrain::report {

/// What was measured of a recorded run.
struct RecordedRun {
  std::string trace;  ///< its name
  std::string machine;
  Measurement measurement;
  bool oversubscribed = false;  ///< if so, its times enter no error figure
  std::string elsewhere;        ///< why they enter none, if the platform is another machine; else empty
};

/// One run that the report is about.
struct ReportRun {
  Schedule schedule;
  problem::Placement placement;
  std::vector<pattern::RankCounts>
      counts;  ///< with this placement, shape [ranks]; empty if not known or not needed
  std::optional<RecordedRun> recorded;
  /// Places in ReportInput::platforms of those that a run which was not recorded is simulated on. Empty: all.
  std::vector<std::size_t> platforms = {};
};

struct ReportInput {
  std::string problem;                        ///< e.g. "heart.fgm (left ventricle ...)"
  std::vector<ReportRun> runs;                ///< at least one
  std::vector<platform::Platform> platforms;  ///< at least one
  std::optional<platform::Platform>
      recorded_on;        ///< on which only recorded runs are replayed; none: they are on the first one
  std::size_t focus = 0;  ///< the run whose ranks are drawn, on its first platform
  std::shared_ptr<const pattern::Pattern> pattern;  ///< of the runs; null: not known, nor are counts
  replay::ReplayOptions replay;
  int jobs = 1;                    ///< simulations at the same time
  std::vector<std::string> notes;  ///< what else is to be said of the runs
};

/// A run as the page knows it: name, ranks, nodes, ...
nlohmann::json run_data(const Run& run, const problem::Placement& placement);
nlohmann::json platform_data(const platform::Platform& platform);

/// What the page's first table shows beside times: a row for each answer, as docs/json.md describes it.
nlohmann::json totals_of(std::span<const answer::Answer> answers);

/// Everything that the page shows, all times in seconds of one iteration.
/// @param simulated  called each time a simulation ends, with the number of finished simulations and of all
/// @throws InputError as predict() and replay() do
nlohmann::json report_data(const ReportInput& input,
                           const std::function<void(std::size_t, std::size_t)>& simulated);

}  // namespace finegrain::report
