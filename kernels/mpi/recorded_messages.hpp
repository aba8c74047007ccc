// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "traces/recorder.hpp"

namespace finegrain {

/// The one place where a kernel's messages are sent, and noted: what a trace says was posted is what MPI was
/// called with. Without a recorder it only sends.
class RecordedMessages {
 public:
  explicit RecordedMessages(MPI_Comm comm) : comm_(comm) {}

  /// From now on, notes iterations, phases and messages in `recorder` (none: no longer).
  void record_to(Recorder* recorder) { recorder_ = recorder; }

  void begin_iteration() {
    if (recorder_ != nullptr) recorder_->begin_iteration();
  }
  void end_iteration() {
    if (recorder_ != nullptr) recorder_->end_iteration();
  }

  /// Does one phase's work.
  /// @param memory_bytes  bytes the rank moves over its node's memory in it, messages not counted
  template <class Work>
  void phase(PhaseKind kind, std::int64_t memory_bytes, Work work) {
    if (recorder_ != nullptr) recorder_->begin_phase(kind, memory_bytes);
    work();
    if (recorder_ != nullptr) recorder_->end_phase();
  }

  /// Posts a message to or from a peer; the values stay untouched until wait() has returned.
  void receive(std::span<double> values, int peer);
  void send(std::span<const double> values, int peer);
  /// Returns when all messages posted before are complete.
  void wait();

 private:
  void note(MessageKind kind, int peer, int values);

  MPI_Comm comm_;
  Recorder* recorder_ = nullptr;
  std::vector<MPI_Request> requests_;
  std::vector<int> numbers_;    ///< of the messages in the iteration, shape [requests_]
  std::vector<int> completed_;  ///< scratch: indices into requests_
};

}  // namespace finegrain
