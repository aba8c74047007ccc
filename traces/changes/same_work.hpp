// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "traces/changes/work.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// Seconds of work, each time that a rank goes through a stretch.
struct WorkTable {
  std::vector<std::map<Stretch, double>> stretches_s;  ///< shape [ranks]
  std::vector<std::map<RegionName, double>> calls_s;   ///< as WorkOfRuns::calls_s
};

/// What each stretch takes each time, in the mean.
WorkTable table_of(const WorkOfRuns& work);

/// For the changed program: each stretch takes what it took before, unless its work has changed. Where calls
/// appeared or vanished between two anchors, the work between these is shared out as the changed program
/// does.
WorkTable table_with_work_of_before(const WorkOfRuns& before, const WorkOfRuns& after,
                                    const WorkChanges& changes);

/// A program whose work takes the seconds of a table, so that two programs with the same work differ by
/// nothing but what they call. @pre programs, places and table outlive it
class ProgramsWithWork : public DerivedPrograms {
 public:
  ProgramsWithWork(const Programs& programs, const KnownPlaces& places, const WorkTable& table)
      : DerivedPrograms(programs), places_(places), table_(table) {}
  std::unique_ptr<ProgramCursor> rank(int rank) const override;

 private:
  const KnownPlaces& places_;
  const WorkTable& table_;
};

}  // namespace finegrain::changes
