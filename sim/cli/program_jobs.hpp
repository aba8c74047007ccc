// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/collectives/decisions.hpp"
#include "sim/platform/compute_scales.hpp"
#include "traces/changes/all_changes.hpp"
#include "traces/work_factors.hpp"

namespace finegrain::cli {

/// Seconds there, of a second of work here, and why.
struct ComputeScale {
  double factor = 1;
  std::string origin;
  std::vector<platform::ComputeScales::OfHosts> of_hosts = {};  ///< that have others
};

/// Gives the platforms' hosts the factors of --compute-scale, if it names hosts.
/// @throws InputError if a platform has no such host
void scale_nodes(const ProgramOptions& program, std::vector<platform::Platform>& platforms);

/// A recorded program, ready to be simulated on each platform. Jobs point into it.
struct ProgramJobs {
  /// @param read  the platforms @param platform_options  whether more ranks than cores are allowed
  /// @throws InputError where flags ask for what a recorded program cannot do
  ProgramJobs(const Trace& trace, const std::string& name, const ProgramOptions& program,
              const WorkloadOptions& workload, std::vector<platform::Platform> read,
              const PlatformOptions& platform_options);
  ProgramJobs(const ProgramJobs&) = delete;
  ProgramJobs& operator=(const ProgramJobs&) = delete;

  /// What has to be said of the simulations.
  std::vector<std::string> notes() const;

  std::vector<platform::Platform> platforms;
  std::vector<std::string> collectives;  ///< that are carried out otherwise than the platforms' MPI would
  std::deque<Schedule> runs;             ///< each platform's, without bodies
  std::vector<problem::Room> rooms;      ///< each platform's, if that matters
  RecordedPrograms programs;
  std::optional<RescaledPrograms> elsewhere;   ///< with the work of a second recording
  std::optional<changes::AllChanges> changed;  ///< with the changes that were asked for
  int threads = 1;                             ///< of a rank, that worked while it was recorded
  bool has_shared_cores = false;               ///< while it was recorded
  std::optional<double> work_flops;            ///< work_flops_per_s() of the trace that says the work
  std::deque<collectives::Decisions> decisions;
  std::deque<problem::Placement> placements;  ///< each platform's
  std::vector<ComputeScale> scales;
  std::vector<replay::ReplayJob> jobs;

 private:
  /// What is simulated: the recording, with other work or changes.
  const Programs& simulated() const;
  void place(const WorkloadOptions& workload);
  std::string work_note(std::size_t job) const;
};

}  // namespace finegrain::cli
