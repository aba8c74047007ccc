// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/replay/replay.hpp"
#include "traces/program_changes.hpp"
#include "traces/program_summary.hpp"

namespace finegrain::cli {

/// One of two recordings of a program that are compared, before or after a change of it.
struct DiffSide {
  ProgramSummary program;
  int ranks = 1;
  std::vector<replay::ReplayResult> simulated = {};  ///< on each platform
  std::vector<replay::RegionSeconds> regions_s = {};
  std::vector<std::string> notes = {};

  double mean_s(std::size_t platform, const std::string& region) const;
};

/// What is known of one place before and after.
struct DiffRow {
  std::string place;
  const FunctionSummary* before = nullptr;
  const FunctionSummary* after = nullptr;
  double measured_s = 0;                 ///< more than before, of a rank
  std::vector<double> simulated_s = {};  ///< likewise, on each platform

  bool is_alike() const {
    return before != nullptr && after != nullptr && finegrain::is_alike(*before, *after);
  }
};

/// Work first, then all places, those that are alike too.
std::vector<DiffRow> diff_rows(const DiffSide& before, const DiffSide& after);

/// The differences add up to that of the runs' simulated times in each of these tables.
output::Table diff_of_places(const std::vector<DiffRow>& rows, const DiffSide& before, const DiffSide& after,
                             const std::vector<std::string>& platforms);
/// Why it takes longer: work, calls, and the causes of waiting, in the mean of the ranks.
output::Table diff_of_causes(const DiffSide& before, const DiffSide& after,
                             const std::vector<std::string>& platforms);
/// How each rank's time has changed, on the first platform.
output::Table diff_of_ranks(const DiffSide& before, const DiffSide& after, const std::string& platform);

}  // namespace finegrain::cli
