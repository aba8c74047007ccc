// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sim/cli/launcher_errors.hpp"

namespace finegrain::cli {

/// How a guarded process ended, as the guard writes it into its pipe (sim/replay/bytes.hpp).
struct GuardedEnd {
  int start_error = 0;           ///< errno, if it could not be started
  int status = 0;                ///< as waitpid says
  bool stuck = false;            ///< a rank had died, and the launcher went on: the guard killed it
  int rank = -1;                 ///< that was the first to die, where that is known
  SaidAtEnd said;                ///< by the launcher and its ranks
  std::string without_recorder;  ///< a program that called MPI without the library that was preloaded

  friend auto parts_of(GuardedEnd& end) {
    return std::tie(end.start_error, end.status, end.stuck, end.rank, end.said, end.without_recorder);
  }
};

/// What is run.
enum class Started : std::uint8_t {
  /// A binary of finegrain. It reads nothing, as mpirun would take what a shell's loop still has to read. All
  /// its ranks end together.
  ours,
  /// Any program. It reads what we would, unless that is a terminal. A rank may end before the others.
  users,
};

/// Runs a launcher such as mpirun to its end, in a process of its own: the guard. All processes that the
/// launcher starts on this node are descendants of the guard, also those that lose their parent
/// (PR_SET_CHILD_SUBREAPER). If the launcher fails, none of them outlives it. The launcher never outlives the
/// process that wants its result, however that process ends. The launcher also does not go on for long after
/// a rank of Open MPI has died. If a user's rank is gone, only the launcher knows how it ended; so it has
/// died only as long as the launcher does not ask for that.
/// @param stop  read end of a pipe: a byte, or that nobody can write any more, ends everything
/// @param end   write end of a pipe for the GuardedEnd
[[noreturn]] void guard(const std::vector<std::string>& command, Started started, int stdout_descriptor,
                        int stop, int end) noexcept;

}  // namespace finegrain::cli
