// SPDX-License-Identifier: MIT
#include "kernels/mpi/trace_recording.hpp"

#include <fmt/format.h>

#include "kernels/mpi/clock.hpp"
#include "kernels/mpi/environment.hpp"
#include "kernels/mpi/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder) &&
      !(std::filesystem::is_directory(folder) && std::filesystem::is_empty(folder, error))) {
    throw InputError(fmt::format(
        "{}: exists (a trace is never overwritten). Choose another folder or delete it", folder.string()));
  }
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot be created ({}). Choose a writable place", folder.string(), error.message()));
  }
}

}  // namespace

Manifest describe_run(const MpiSession& mpi, const RunOptions& options, const NodeLayout& layout, int threads,
                      const std::variant<SpmvProblem, HeatProblem>& problem) {
  Manifest manifest;
  manifest.run.problem = problem;
  manifest.run.policy = Policy::condensed;
  manifest.run.sides = Sides::two_sided;
  manifest.run.ranks = mpi.ranks();
  manifest.run.ranks_per_node = layout.ranks_per_node;
  manifest.run.threads_per_rank = threads;
  manifest.run.iterations = options.iterations;
  manifest.implementation = "mpi-openmp";
  manifest.warmup_iterations = options.warmup_iterations;
  manifest.oversubscribed = layout.oversubscribed;
  manifest.environment = environment(layout);
  return manifest;
}

TraceRecording::TraceRecording(const MpiSession& mpi, std::filesystem::path folder, Manifest manifest)
    : mpi_(mpi), folder_(std::move(folder)), manifest_(std::move(manifest)) {
  together(mpi_, [&] {
    if (mpi_.is_first()) make_folder(folder_);
  });
  recorder_ = together(mpi_, [&] { return std::make_unique<Recorder>(folder_, mpi_.rank(), clock_ns); });
  manifest_.complete = false;
  manifest_.recorded_at = utc_now();
  manifest_.offsets_at_start = measure_clock_offsets(mpi_);
  together(mpi_, [&] {
    if (mpi_.is_first()) write_manifest(folder_, manifest_);
  });
}

void TraceRecording::finish() {
  together(mpi_, [&] {
    if (!recorder_->finish()) {
      throw InputError(
          fmt::format("{}: the trace is not complete (rank {} could not write). Free some disk "
                      "space and record again",
                      folder_.string(), mpi_.rank()));
    }
  });
  manifest_.offsets_at_end = measure_clock_offsets(mpi_);
  manifest_.complete = true;
  together(mpi_, [&] {
    if (mpi_.is_first()) write_manifest(folder_, manifest_);
  });
}

}  // namespace finegrain
