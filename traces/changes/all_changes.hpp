// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/changes/changed_programs.hpp"
#include "traces/changes/merged_messages.hpp"
#include "traces/changes/overlapped_waits.hpp"
#include "traces/changes/program_change.hpp"
#include "traces/programs.hpp"

namespace finegrain::changes {

/// An algorithm that a change asks for: of collectives of this kind whose Collective::chosen is the number.
struct ChosenAlgorithm {
  std::int32_t number = 0;
  CollectiveKind kind = CollectiveKind::barrier;
  bool blocking = true;
  std::string algorithm;
};

/// Programs with all changes, each applied to what the ones before it leave.
class AllChanges {
 public:
  /// @pre the programs outlive it
  /// @throws InputError where a text is no change, or cannot be done
  AllChanges(const Programs& programs, const std::vector<std::string>& texts);

  const Programs& programs() const { return *last_; }
  /// For notes, one of each change.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<ChosenAlgorithm>& algorithms() const { return algorithms_; }

 private:
  void add(std::vector<ProgramChange> changes);

  std::vector<std::unique_ptr<Programs>> stages_;
  const Programs* last_;
  std::vector<std::string> notes_;
  std::vector<ChosenAlgorithm> algorithms_;
};

}  // namespace finegrain::changes
