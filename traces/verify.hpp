// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/program_check.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

enum class FileState : std::uint8_t {
  whole,
  unfinished,  ///< readable, but without an end mark
  damaged,     ///< readable up to the damage
  missing,
};

struct RankCheck {
  FileState state = FileState::whole;
  std::int64_t iterations = 0;  ///< readable
  std::int64_t messages = 0;
  std::string problem;  ///< the reader's error, naming the byte; empty if whole
};

/// Sends of one rank that the other's receives do not match, over the whole trace.
struct PairMismatch {
  int sender = 0;
  int receiver = 0;
  std::int32_t communicator = 0;
  std::int32_t tag = 0;
  std::int64_t sends = 0;
  std::int64_t receives = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
};

struct Verification {
  bool manifest_complete = false;
  std::int64_t iterations_expected = 0;  ///< the manifest's
  std::int64_t iterations_of_all = 0;    ///< that every rank has
  std::vector<RankCheck> ranks;          ///< shape [ranks]
  /// Sends and receives can be paired only if every rank has the same iterations.
  bool pairs_checked = false;
  std::vector<PairMismatch> mismatches;  ///< the first 1,000
  std::int64_t mismatch_count = 0;
  ProgramCheck program;  ///< if it is a recorded program, and its pairs were checked

  bool ok() const;
  /// Whether a rank's file is broken or not there. That a run was killed is no damage.
  bool is_damaged() const;
};

/// Reads the whole trace. Damage is reported, not thrown.
Verification verify(const Trace& trace, const OnRank& on_rank = {});

std::string_view to_string(FileState state);

}  // namespace finegrain
