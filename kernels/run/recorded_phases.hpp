// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/run/clock.hpp"
#include "traces/recorder.hpp"

namespace finegrain {

/// Notes iterations and phases as the program goes through them; without a recorder it only runs them.
class RecordedPhases {
 public:
  /// From now on, notes in `recorder` (none: no longer).
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
    pass_time_of_work(memory_bytes);
    if (recorder_ != nullptr) recorder_->end_phase();
  }

 protected:
  Recorder* recorder_ = nullptr;
};

}  // namespace finegrain
