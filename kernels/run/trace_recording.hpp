// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "kernels/machine/cpu_time.hpp"
#include "kernels/run/session.hpp"
#include "traces/manifest.hpp"
#include "traces/recorder.hpp"

namespace finegrain::kernels {

/// A kernel's trace while it runs: rank 0 makes the folder and writes the manifest, every rank its own file.
class TraceRecording {
 public:
  /// Collective. Measures the clock offsets, and leaves a manifest that says the trace is not complete.
  /// @param manifest  what runs, on what; offsets and completeness are filled in here
  /// @throws KernelExit{1} on every rank, if the folder holds anything already or cannot be written. With
  /// `force`, a trace that it holds is removed
  TraceRecording(const Session& session, std::filesystem::path folder, Manifest manifest,
                 std::int64_t resolution_ns, bool force);

  Recorder* recorder() { return recorder_.get(); }

  /// Collective. Closes every rank's file, measures the clock offsets again, and completes the manifest.
  /// Where recording failed on any rank, which has said so, the trace stays marked incomplete: that is no
  /// reason for the program to fail.
  /// @returns whether the trace is complete
  bool finish();

 private:
  bool succeeded_on_all(bool mine) const;
  bool completed_manifest();
  double longest_share_waited() const;

  const Session& session_;
  std::filesystem::path folder_;
  Manifest manifest_;
  std::unique_ptr<Recorder> recorder_;
  machine::ThreadTime time_before_;  ///< that of this rank's threads, when the recording began
};

}  // namespace finegrain::kernels
