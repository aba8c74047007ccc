// SPDX-License-Identifier: MIT
// A recorded program as it would be if somebody changed it. "place=halo.c:88 size=x0.5" halves the messages
// that line 88 sends; "place=halo.c:88 work=x0.8" leaves four fifths of the work before its calls. All else
// stays as it was recorded.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "traces/operation.hpp"

namespace finegrain::changes {

/// One change of a program.
struct ProgramChange {
  std::string text;            ///< as it was given
  std::string place = {};      ///< where its calls are, "halo.c:88"; empty: anywhere
  std::string function = {};   ///< that is called, "MPI_Isend"; empty: any
  double size_factor = 1;      ///< that of the bytes that these calls send, put, get or give to a collective
  double work_factor = 1;      ///< that of the seconds of work directly before these calls
  std::string algorithm = {};  ///< that of the collective operations that these calls are; empty: as before
  /// Its number among the changes, by which collectives name the algorithm (Collective::chosen).
  std::int32_t number = 0;
  bool merges_messages = false;  ///< MergedMessages
  bool overlaps_waits = false;   ///< OverlappedWaits
};

/// @throws InputError naming --change if the text is not one, or changes nothing
ProgramChange parse_program_change(const std::string& text);

/// Whether a change is of calls of this name.
bool is_about(const ProgramChange& change, RegionName name);

/// @param names  those of all calls of the program
[[noreturn]] void refuse_unknown_calls(const ProgramChange& change, const std::set<RegionName>& names);

/// The option that changes are given by, for errors.
inline constexpr const char* change_flag = "--change";

}  // namespace finegrain::changes
