// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "traces/iteration.hpp"

namespace finegrain {

/// Writes one rank's file of a trace while the program runs: begin_iteration, then per phase begin_phase,
/// post and complete for each message, end_phase; end_iteration; finish. Buffers are bounded; one that is
/// full, or two seconds old, is compressed, checksummed and flushed. A failing disk stops the recording (one
/// line on stderr), never the program.
class Recorder {
 public:
  /// Nanoseconds on this rank's clock, never going back.
  using Clock = std::int64_t (*)();

  /// Creates folder/rank_NNNNN.fgt, and the folder if need be.
  /// @param resolution_ns  times are rounded down to multiples of this; the coarser, the smaller the file
  /// @throws InputError if it cannot be created, or exists already (a trace is never changed)
  Recorder(const std::filesystem::path& folder, int rank, Clock clock, std::int64_t resolution_ns = 1);
  ~Recorder();  ///< finishes what was not finished
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void begin_iteration();
  void begin_phase(PhaseKind kind, std::int64_t memory_bytes = 0);
  /// Notes a message at the moment it is posted. @returns its number in the iteration, for complete()
  int post(const Message& message);
  /// Notes that a message's transfer is done once more, back to back: its repeat count grows by one.
  void repeat(int message);
  /// Notes the end of a message: the transfer's last byte is here (receive, get) or the buffer may be reused
  /// (send, put).
  /// A message that is never completed ends with its iteration; only its first
  /// completion counts.
  void complete(int message);
  void end_phase();
  void end_iteration();
  /// Flushes and closes the file with its end mark. @returns false if recording had failed
  bool finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace finegrain
