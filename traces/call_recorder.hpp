// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "traces/call_signature.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {

/// Writes one rank's file of a trace of any MPI program while it runs: its calls in the order in which they
/// end. Not to be called by two threads at once. Memory is bounded; a chunk that is full, or two seconds old
/// when a call ends, is compressed, checksummed and flushed. A failing disk stops the recording (one line on
/// stderr), never the program.
class CallRecorder {
 public:
  /// Creates folder/rank_NNNNN.fgt, and the folder if need be.
  /// @param resolution_ns  times are rounded down to multiples of this; 0: no times are kept
  /// @throws InputError if it cannot be created, or exists already (a trace is never changed)
  CallRecorder(const std::filesystem::path& folder, int rank, std::int64_t resolution_ns = 1);
  ~CallRecorder();  ///< finishes what was not finished
  CallRecorder(const CallRecorder&) = delete;
  CallRecorder& operator=(const CallRecorder&) = delete;

  /// A name for calls ("MPI_Isend"; a user's region for marks), printable ASCII. @returns its number, for
  /// CallSignature::begin(); the same for the same name
  std::uint32_t define_function(std::string_view name);
  /// A communicator or a window. @param identity equal on all its ranks, and different from that of any
  /// other communicator of theirs
  /// @param ranks  ranks of the run, in the communicator's order; of an intercommunicator the local group's,
  /// then the remote group's
  /// @returns its number. The communicator of all ranks is 0 without being defined
  std::int32_t define_communicator(std::uint64_t identity, std::span<const std::int32_t> ranks);

  /// A call that begins at start_ns and ends now, at end_ns, on the rank's clock. What passed since the end
  /// of the thread's call before is the program's own work.
  void call(const CallSignature& signature, std::int64_t start_ns, std::int64_t end_ns);
  /// `count` calls in a row that found nothing (MPI_Test, MPI_Iprobe), as one.
  void polls(const CallSignature& signature, std::uint64_t count, std::int64_t start_ns, std::int64_t end_ns);
  /// How long the thread of the call that is recorded next waited for a core in the work before it. Reading
  /// a thread's CPU time costs more than a call, so this is for long work only.
  void waited_for_core(std::int64_t lost_ns);

  /// Writes what is in memory to the file, so that it can be read up to here.
  void flush();
  /// flush(), if the oldest call in memory began before that time.
  void flush_older_than(std::int64_t time_ns);
  /// Says in the file that the rank is in this call, which may never end. What is in memory has to be flushed
  /// before; the next chunk makes it void.
  void note_open_call(const CallInProgress& call);
  /// How many chunks of calls are in the file.
  std::uint64_t chunks() const;
  /// Ends the recording: the reason is printed, and what was flushed stays readable. What is in memory is not
  /// looked at again.
  void stop(const char* reason);
  /// Whether the recording has ended early. Not to be called after finish().
  bool has_failed() const;
  /// Flushes and closes the file with its end mark. @returns false if recording had failed
  bool finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace finegrain
