// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "traces/changes/program_change.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// Programs that wait later: waits for requests at the calls of a change (MPI_Wait, MPI_Waitall) are made
/// after the work that follows them, right before the next call that is none of these. So what is under way
/// goes on beside that work. Nobody knows whether the work needs what was waited for: that is for the person
/// to say who changes the program.
class OverlappedWaits : public DerivedPrograms {
 public:
  /// Reads the programs once. @pre they outlive it
  /// @throws InputError if the change finds no call, or one that is no wait or depends on what has arrived
  OverlappedWaits(const Programs& programs, ProgramChange change);

  std::unique_ptr<ProgramCursor> rank(int rank) const override;
  /// "changed: place=halo.c:9 overlap (200 waits, after 1.5 s of work of all ranks)"
  std::string note() const;

 private:
  ProgramChange change_;
  std::int64_t waits_ = 0;
  double work_s_ = 0;  ///< that they are moved behind, of all ranks
};

}  // namespace finegrain::changes
