// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// A line of a benchmark's table.
struct MeasuredPoint {
  double size_bytes;
  double value;  ///< seconds, or bytes a second
  std::string where;
};

/// What benchmarks found between two nodes.
struct MeasuredPoints {
  std::vector<MeasuredPoint> latencies_s;             ///< half of round trips, by ascending size
  std::vector<MeasuredPoint> bandwidths_bytes_per_s;  ///< those of windows of messages, by ascending size
  double window = 64;                                 ///< messages that osu_bw sends before it waits
  Numbers numbers;                                    ///< a calibrated platform's, as they are
  std::vector<std::string> notes;
};

/// Adds a file: the output of osu_latency, osu_bw (OSU microbenchmarks) or IMB's PingPong, or a platform of
/// finegrain calibrate. Lines of other programs around a table are skipped.
/// @throws InputError with file and line: none of these, or a second file of one kind
void add_measured_file(const std::filesystem::path& file, MeasuredPoints& points);

}  // namespace finegrain::platform_make
