// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/changes/program_change.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// What a change does to a program.
struct ChangeCount {
  std::int64_t calls = 0;    ///< of the places that the change names, of all ranks
  std::int64_t changed = 0;  ///< of these, those that it changes
  double bytes_before = 0;
  double bytes_after = 0;
  double work_before_s = 0;
  double work_after_s = 0;
  std::set<std::pair<CollectiveKind, bool>> collectives = {};  ///< kinds, and whether they block
};

/// Programs with other sizes, work or algorithms of collectives at some calls, each change applied to what
/// the ones before it leave. A receive's buffer is as large as its message needs it.
/// @pre the programs outlive them
class ChangedPrograms : public DerivedPrograms {
 public:
  /// Reads the programs once.
  /// @throws InputError if a change finds no call, or the changed program is not valid: ranks would bring
  /// different sizes or algorithms to one collective
  ChangedPrograms(const Programs& programs, std::vector<ProgramChange> changes);

  std::unique_ptr<ProgramCursor> rank(int rank) const override;
  /// For notes, one of each change: "changed: place=halo.c:88 size=x0.5 (80 calls, 320000 B were 640000 B)"
  std::vector<std::string> notes() const;
  const std::vector<ProgramChange>& changes() const { return changes_; }
  const std::vector<ChangeCount>& counts() const { return counts_; }

 private:
  std::vector<ProgramChange> changes_;
  std::vector<ChangeCount> counts_;  ///< one for each change
};

}  // namespace finegrain::changes
