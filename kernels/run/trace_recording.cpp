// SPDX-License-Identifier: MIT
#include "kernels/run/trace_recording.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>

#include "kernels/run/clock.hpp"
#include "kernels/run/environment.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/waited_for_cores.hpp"

namespace finegrain::kernels {
namespace {

void make_folder(const std::filesystem::path& folder, bool force) {
  std::error_code error;
  if (force && std::filesystem::is_directory(folder)) remove_trace(folder);
  if (std::filesystem::exists(folder) &&
      !(std::filesystem::is_directory(folder) && std::filesystem::is_empty(folder, error))) {
    throw InputError(folder.string(), "exists (a trace is not overwritten)",
                     "Choose another folder, or --force");
  }
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string(), fmt::format("cannot be created ({})", error.message()),
                     "Choose a writable place");
  }
}

}  // namespace

TraceRecording::TraceRecording(const Session& session, std::filesystem::path folder, Manifest manifest,
                               std::int64_t resolution_ns, bool force)
    : session_(session), folder_(std::move(folder)), manifest_(std::move(manifest)) {
  // When a file reaches a size limit, the recording shall end, as with a full disk, and not the program.
  std::signal(SIGXFSZ, SIG_IGN);
  together(session_, [&] {
    if (session_.is_first()) make_folder(folder_, force);
  });
  recorder_ = together(session_, [&] {
    return std::make_unique<Recorder>(folder_, session_.rank(), clock_ns, resolution_ns);
  });
  manifest_.complete = false;
  manifest_.recorded_at = utc_now();
  manifest_.offsets_at_start = session_.measure_clock_offsets();
  together(session_, [&] {
    if (session_.is_first()) write_manifest(folder_, manifest_);
  });
  time_before_ = machine::thread_time();
}

bool TraceRecording::finish() {
  manifest_.environment[waited_for_cores] = fmt::format("{:.1f} %", 100 * longest_share_waited());
  if (!succeeded_on_all(recorder_->finish())) return false;
  manifest_.offsets_at_end = session_.measure_clock_offsets();
  return succeeded_on_all(!session_.is_first() || completed_manifest());
}

bool TraceRecording::completed_manifest() {
  manifest_.complete = true;
  try {
    write_manifest(folder_, manifest_);
    return true;
  } catch (const InputError& error) {
    complain(fmt::format("{} (the trace may stay marked incomplete)", error.what()));
    return false;
  }
}

/// Collective. The share of its time that a rank waited for a core; the largest of all ranks.
double TraceRecording::longest_share_waited() const {
  std::array<double, 1> share = {machine::share_waited(time_before_, machine::thread_time())};
  session_.maximize(share);
  return share[0];
}

/// Collective.
bool TraceRecording::succeeded_on_all(bool mine) const {
  std::array<double, 1> failed = {mine ? 0.0 : 1.0};
  session_.maximize(failed);
  return failed[0] == 0.0;
}

}  // namespace finegrain::kernels
