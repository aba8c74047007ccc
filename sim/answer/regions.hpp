// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/model/numbered_phase.hpp"

namespace finegrain::answer {

/// Whether times are those of one iteration or of all of them.
enum class Span : std::uint8_t { iteration, run };

/// What one region of a run takes, by each way.
struct RegionTimes {
  model::NumberedPhase region;
  std::vector<double> simulated_s;  ///< each rank's, 0 where it lacks the region; shape [ranks]
  /// What each rank waited for, parts of simulated_s (RankReplay::waits); shape [ranks], empty: not
  /// known.
  std::vector<replay::Waits> waits;
  std::vector<double> measured_s;       ///< in the same form; empty: nothing was measured
  std::optional<double> closed_form_s;  ///< that of the node and the rank that decide the total
  double joules = 0;                    ///< what the ranks add to the energy of idle nodes
};

/// The regions that any rank has, in the order of the program. A rank without accesses may lack some.
std::vector<model::NumberedPhase> regions_of(const Schedule& schedule);

/// The times of all regions of a simulated run whose iterations are alike.
/// @param names  together: regions of one name are added up on each rank
/// @pre the answer has a simulation
std::vector<RegionTimes> region_times(const Answer& answer, model::PhaseNames names = model::PhaseNames::each,
                                      Span span = Span::iteration);

/// What the rank that takes longest waits for late partners. None: not known.
std::optional<double> late_of_slowest_s(const RegionTimes& times);

/// The largest of the ranks' times, and their mean. 0 without ranks.
double slowest_s(std::span<const double> ranks_s);
double mean_s(std::span<const double> ranks_s);

}  // namespace finegrain::answer
