// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::sensitivity {

/// Which ranks' work is divided, and by how much.
struct LighterWork {
  double factor = 1;
  std::vector<int> ranks = {};  ///< in ascending order; empty: all
  std::string region = {};      ///< or a part (WorkTotals); empty: of all regions
};

/// A schedule with less work. Bytes are rounded to whole ones.
Schedule lighter(const Schedule& schedule, const LighterWork& work);

/// Programs with less work: fewer bytes, and fewer seconds of timed work.
/// @pre `programs` outlives this object
class LighterPrograms : public DerivedPrograms {
 public:
  LighterPrograms(const Programs& programs, LighterWork work)
      : DerivedPrograms(programs), work_(std::move(work)) {}
  std::unique_ptr<ProgramCursor> rank(int rank) const override;

 private:
  LighterWork work_;
};

/// How much work there is: in memory bytes, or in seconds if only the time is known.
struct WorkTotals {
  std::map<std::string, double> regions;  ///< only regions that have work
  /// Of recorded work: by the call before it, and the mark (MPI_Pcontrol) before that (PlaceOfWork).
  std::map<std::string, double> parts;
  std::vector<double> ranks;  ///< shape [ranks]
};

/// @throws InputError where a program cannot be read
WorkTotals work_of(const Programs& programs);

}  // namespace finegrain::sensitivity
