// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

/// One function of a recorded program, over all ranks.
struct FunctionSummary {
  RegionName name;
  std::int64_t calls = 0;       ///< those that found nothing counted each
  double seconds = 0;           ///< in this region, of all ranks together
  std::vector<double> ranks_s;  ///< in this region, of each rank, shape [ranks]
  std::int64_t messages = 0;    ///< posted by it
  double message_bytes = 0;     ///< their bytes; of receives the room for them
};

/// Gets or fetches of one rank from another, of one size and by one function, with hardly any work and no
/// other message between.
struct AskedInARow {
  std::optional<RegionName> function;
  int rank = 0;
  std::int32_t peer = 0;
  std::int64_t bytes = 0;  ///< of each
  std::int64_t times = 0;
};

/// What a program of any kind did, as it was recorded.
struct ProgramSummary {
  std::vector<FunctionSummary> functions;  ///< the longest first; moments of threads are none
  std::int64_t calls = 0;
  std::int64_t messages = 0;            ///< sent, put or got
  double message_bytes = 0;             ///< their bytes
  std::uint64_t file_bytes = 0;         ///< the rank files' size
  double work_s = 0;                    ///< between calls, of all ranks together
  std::vector<double> work_of_ranks_s;  ///< between calls, of each rank, shape [ranks]
  double lost_s = 0;                    ///< between calls, while ranks waited for a core: not in work_s
  std::vector<double> lost_of_ranks_s;  ///< each rank's, shape [ranks]
  double measured_s = 0;  ///< from the end of the first rank's first call to the start of the last one's last
  std::string not_measured;  ///< why nobody measured these times, where they are of no run; otherwise empty
  AskedInARow asked;         ///< the longest row of all ranks
  std::vector<std::string> problems;  ///< ranks that could not be read to their end: the reader's errors
};

/// Reads the whole trace; a rank that is damaged or unfinished counts as far as it can be read.
ProgramSummary summarize_program(const Trace& trace, const OnRank& on_rank = {});

/// A note if threads did not run during more than a tenth of their work; otherwise empty.
std::string wait_for_cores_note(const ProgramSummary& summary);
/// Notes on what is in no simulated time: CPU time of threads before their first or after their last call,
/// and sleep between tests, if they are more than a hundredth of the recorded work; the functions of the
/// program's own that MPI calls; and waits for what other ranks write to memory.
std::vector<std::string> left_out_notes(const ProgramSummary& summary, const Manifest& manifest);
/// A note if the program took whichever of its requests was complete first (MPI_Waitany, MPI_Waitsome,
/// MPI_Testany, MPI_Testsome), which a replay does not decide again; otherwise empty.
std::string first_complete_note(const ProgramSummary& summary);

}  // namespace finegrain
