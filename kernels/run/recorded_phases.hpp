// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/run/clock.hpp"
#include "traces/recorder.hpp"

namespace finegrain::kernels {

/// Records iterations and their regions as the program goes through them; without a recorder it only runs
/// them.
class RecordedPhases {
 public:
  /// From now on, records with `recorder`; if that is null, no longer records.
  void record_to(Recorder* recorder) { recorder_ = recorder; }

  void begin_iteration() {
    if (recorder_ != nullptr) recorder_->begin_iteration();
  }
  void end_iteration() {
    if (recorder_ != nullptr) recorder_->end_iteration();
  }

  /// Runs a region: calls that are recorded one by one.
  template <class Calls>
  void region(RegionName name, Calls calls) {
    if (recorder_ != nullptr) recorder_->begin_region(name);
    calls();
    if (recorder_ != nullptr) recorder_->end_region();
  }

  /// Runs a region that also does work over the node's memory.
  template <class Calls>
  void region(RegionName name, const Work& work, Calls calls) {
    region(name, [&] {
      if (recorder_ != nullptr) recorder_->work(work);
      calls();
      advance_clock_by_work(work.memory_bytes);
    });
  }

  /// Records work that was done in the region.
  void work(const Work& work) {
    if (recorder_ != nullptr) recorder_->work(work);
    advance_clock_by_work(work.memory_bytes);
  }

  /// A region in which all ranks meet.
  template <class Session>
  void barrier(const Session& session) {
    region(regions::barrier, [&] {
      if (recorder_ != nullptr) recorder_->collective({CollectiveKind::barrier});
      session.barrier();
    });
  }

 protected:
  Recorder* recorder_ = nullptr;
};

}  // namespace finegrain::kernels
