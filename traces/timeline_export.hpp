// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "traces/io/atomic_file.hpp"
#include "traces/on_rank.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

class TimelineText;
struct TimelineWindow;

/// chrome: JSON of trace events, which Perfetto and chrome://tracing open. csv: a row a phase or message.
enum class TimelineFormat : std::uint8_t { chrome, csv };

/// Which part of a recorded run is exported.
struct TimelineSelection {
  double from_s = 0;  ///< since the first rank began its first iteration
  double until_s = std::numeric_limits<double>::infinity();
  std::set<int> ranks;  ///< none: all
  /// The file's. Iterations that would make it larger are left out, on all ranks.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
};

struct TimelineExport {
  std::uint64_t bytes = 0;
  std::int64_t iterations = 0;        ///< exported, of which the window may have left nothing
  std::int64_t left_out = 0;          ///< iterations, for the size of the file
  std::vector<std::string> problems;  ///< those of ranks that are not whole; what they have is exported
};

/// Writes when each phase began and ended, and each message. A message whose ends both ranks recorded is an
/// arrow from its send to its receive; a put or get one between the rank that posts it and its peer.
/// @throws InputError if the trace has no such rank, a rank's file is damaged, or the file cannot be written
TimelineExport export_timeline(const Trace& trace, TimelineFormat format, const TimelineSelection& selection,
                               const std::filesystem::path& file, const OnRank& on_rank = {},
                               const Protection& protection = {});

/// What writes such a file. @param node  each rank's @pre the window outlives it
std::unique_ptr<TimelineText> make_timeline_text(TimelineFormat format, std::function<int(int rank)> node,
                                                 const TimelineWindow& window);
FileKind timeline_kind(TimelineFormat format);

/// A region of an iteration, or a call of a recorded program.
struct RegionInWindow {
  int rank;
  std::int64_t iteration;
  RegionName name;
  double start_us;  ///< since the first rank began its first iteration
  double end_us;
  std::int64_t messages;  ///< that it posts
  double message_bytes;
};

struct RegionsInWindow {
  std::vector<RegionInWindow> regions;  ///< by rank, then time
  std::int64_t left_out = 0;            ///< regions of the window that were too many
  std::vector<std::string> problems;    ///< as TimelineExport::problems
};

/// @param most  regions to return. `selection.most_bytes` does not matter.
/// @throws InputError if the trace has no such rank, or a rank's file is damaged
RegionsInWindow regions_in_window(const Trace& trace, const TimelineSelection& selection, std::size_t most);

}  // namespace finegrain
