// SPDX-License-Identifier: MIT
// A recorded program as it would be if somebody changed it. "place=halo.c:88 size=x0.5" halves the messages
// that line 88 sends; "place=halo.c:88 work=x0.8" leaves four fifths of the work before its calls. All else
// stays as it was recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::changes {

/// One change of a program.
struct ProgramChange {
  std::string text;           ///< as it was given
  std::string place = {};     ///< of its calls, "halo.c:88"; empty: anywhere
  std::string function = {};  ///< that is called, "MPI_Isend"; empty: any
  double size_factor = 1;     ///< of the bytes that these calls send, put, get or give to a collective
  double work_factor = 1;     ///< of the seconds of work directly before these calls
};

/// @throws InputError naming --change if the text is not one, or changes nothing
ProgramChange parse_program_change(const std::string& text);

/// What a change does to a program.
struct ChangeCount {
  std::int64_t calls = 0;  ///< of all ranks, which are changed
  double bytes_before = 0;
  double bytes_after = 0;
  double work_before_s = 0;
  double work_after_s = 0;
};

/// Programs with changes, each applied to what the ones before it leave. A receive's buffer is as large as
/// its message needs it.
/// @pre the programs outlive them
class ChangedPrograms : public Programs {
 public:
  /// Reads the programs once.
  /// @throws InputError if a change finds no call, or the changed program is not valid: ranks would bring
  /// different sizes to one collective
  ChangedPrograms(const Programs& programs, std::vector<ProgramChange> changes);

  int ranks() const override { return programs_.ranks(); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override;
  std::span<const std::int32_t> communicator(std::int32_t number) const override {
    return programs_.communicator(number);
  }
  /// For notes, one of each change: "changed: place=halo.c:88 size=x0.5 (80 calls, 320000 B were 640000 B)"
  std::vector<std::string> notes() const;

 private:
  const Programs& programs_;
  std::vector<ProgramChange> changes_;
  std::vector<ChangeCount> counts_;  ///< of the changes
};

}  // namespace finegrain::changes
