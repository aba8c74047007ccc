// SPDX-License-Identifier: MIT
#include "kernels/run/trace_recording.hpp"

#include <fmt/format.h>

#include "kernels/run/clock.hpp"
#include "kernels/run/environment.hpp"
#include "kernels/run/together.hpp"
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

TraceRecording::TraceRecording(const Session& session, std::filesystem::path folder, Manifest manifest)
    : session_(session), folder_(std::move(folder)), manifest_(std::move(manifest)) {
  together(session_, [&] {
    if (session_.is_first()) make_folder(folder_);
  });
  recorder_ =
      together(session_, [&] { return std::make_unique<Recorder>(folder_, session_.rank(), clock_ns); });
  manifest_.complete = false;
  manifest_.recorded_at = utc_now();
  manifest_.offsets_at_start = session_.measure_clock_offsets();
  together(session_, [&] {
    if (session_.is_first()) write_manifest(folder_, manifest_);
  });
}

void TraceRecording::finish() {
  together(session_, [&] {
    if (!recorder_->finish()) {
      throw InputError(
          fmt::format("{}: the trace is not complete (rank {} could not write). Free some disk "
                      "space and record again",
                      folder_.string(), session_.rank()));
    }
  });
  manifest_.offsets_at_end = session_.measure_clock_offsets();
  manifest_.complete = true;
  together(session_, [&] {
    if (session_.is_first()) write_manifest(folder_, manifest_);
  });
}

}  // namespace finegrain
