// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "sim/validation/experiment.hpp"
#include "traces/programs.hpp"

namespace finegrain::validation {

/// The runs of a table, ready to be simulated on any platform, any number of times.
class Cases {
 public:
  /// Prepares every run of a table.
  Cases(const PublishedExperiments& table, const platform::PlatformCosts& closed_form_costs,
        const pattern::Pattern& pattern);

  const std::vector<Schedule>& schedules() const { return schedules_; }
  /// Seconds of all iterations of a run, or of a part of it; none if there are no equations.
  std::optional<double> closed_form_s(std::size_t place, Part part) const;
  /// The index of a run in schedules(). @pre it is among them
  std::size_t place_of(const Run& run) const;

 private:
  std::vector<Schedule> schedules_;
  std::vector<std::optional<model::Prediction>> predictions_;
};

struct Range {
  double least = 0;
  double most = 0;
};

/// measured | simulated | closed form, of one cell, in seconds of all iterations.
struct Comparison {
  Experiment experiment;
  double simulated_s = 0;
  std::optional<double> closed_form_s;
  std::optional<Range> simulated_range_s;  ///< over the BLOCKSIZEs
};

struct ComparedTable {
  std::string name;
  std::string title;
  std::vector<Comparison> cells;
  std::vector<std::string> notes;
};

/// How simulated times are read if a matrix stands in for the paper's.
enum class Reading : std::uint8_t {
  as_simulated,
  /// The simulated time is the paper's prediction x simulated / closed form, both on the stand-in, so that
  /// the difference in communication cancels out. The closed form is the paper's prediction.
  relative_to_closed_form
};

/// Called with the number of finished simulations.
using OnSimulated = std::function<void(std::size_t finished)>;

/// Simulates a table, or some of its experiments, on a platform.
/// @param cases  those of the table
/// @param processes  simulations at the same time
ComparedTable compare(const PublishedExperiments& table, const Cases& cases,
                      const platform::Platform& platform, Reading reading, int processes,
                      const replay::ReplayOptions& options, const OnSimulated& on_simulated = {});

/// The slowest rank's seconds in a part of the run. The halo part is all that comes before the first compute
/// phase.
double part_s(const Schedule& schedule, const replay::ReplayResult& simulated, Part part);

}  // namespace finegrain::validation
