// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <variant>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/mpi/node_layout.hpp"
#include "kernels/mpi/run_options.hpp"
#include "traces/manifest.hpp"
#include "traces/recorder.hpp"

namespace finegrain {

/// What runs, on what: the manifest of an MPI+OpenMP kernel's trace, before anything is recorded.
Manifest describe_run(const MpiSession& mpi, const RunOptions& options, const NodeLayout& layout, int threads,
                      const std::variant<SpmvProblem, HeatProblem>& problem);

/// A kernel's trace while it runs: rank 0 makes the folder and writes the manifest, every rank its own file.
class TraceRecording {
 public:
  /// Collective. Measures the clock offsets, and leaves a manifest that says the trace is not complete.
  /// @param manifest  what runs, on what; offsets and completeness are filled in here
  /// @throws ProgramExit{1} on every rank, if the folder holds anything already or cannot be written
  TraceRecording(const MpiSession& mpi, std::filesystem::path folder, Manifest manifest);

  Recorder* recorder() { return recorder_.get(); }

  /// Collective. Closes every rank's file, measures the clock offsets again, and completes the manifest.
  /// @throws ProgramExit{1} on every rank, if recording failed on any: the trace stays marked incomplete
  void finish();

 private:
  const MpiSession& mpi_;
  std::filesystem::path folder_;
  Manifest manifest_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace finegrain
