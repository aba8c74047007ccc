// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "traces/operation.hpp"

namespace finegrain {

/// Writes one rank's file of a trace while the program runs: begin_iteration, then per region begin_region,
/// the operations in it, end_region; end_iteration; finish. Buffers are bounded; one that is full, or two
/// seconds old, is compressed, checksummed and flushed. A failing disk stops the recording (one line on
/// stderr), never the program.
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
  void begin_region(RegionName name);
  void work(const Work& work) { add(work); }
  /// Notes a transfer at the moment it is posted. @returns its number in the iteration, for ended()
  int post(const Post& post);
  /// Notes that a transfer is done once more, back to back: its repeat count grows by one.
  void repeat(int post);
  /// Notes the end of a transfer: its last byte is here (receive, get) or the buffer may be reused (send,
  /// put). A transfer whose end is not noted ends with its iteration. Only a transfer's first end counts.
  void ended(int post);
  void complete(const Complete& complete) { add(complete); }
  /// @param sizes  as Collective::first_size says; first_size and size_count are ignored
  void collective(const Collective& collective, std::span<const std::int64_t> sizes = {});
  /// Any operation. A post, as post() does.
  void add(const Operation& operation);
  void end_region();
  void end_iteration();
  /// Flushes and closes the file with its end mark. @returns false if recording had failed
  bool finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace finegrain
