// SPDX-License-Identifier: MIT
#include "sim/calibration/quietness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain::calibration {

double spread_of_stream(const Calibration& found) {
  const auto spread = [](const Measured& measured) {
    return measured.median > 0 ? (measured.p90 - measured.p10) / measured.median : 0;
  };
  return std::max(spread(found.triad_bytes_per_s.front().value),
                  spread(found.triad_bytes_per_s.back().value));
}

bool is_quiet(const Calibration& found) {
  return found.others_share <= most_others_share && spread_of_stream(found) <= most_spread;
}

std::string describe_quietness(const Calibration& found) {
  return fmt::format("others had {:.0f} % of the CPUs' time, and repeats of STREAM lie {:.0f} % apart",
                     100 * found.others_share, 100 * spread_of_stream(found));
}

void refuse_busy(const Calibration& found) {
  if (is_quiet(found)) return;
  throw InputError("calibrate",
                   fmt::format("this machine is busy: {} (at most {:.0f} % and {:.0f} % are accepted)",
                               describe_quietness(found), 100 * most_others_share, 100 * most_spread),
                   "Run it when nothing else runs, or say that it may be busy");
}

}  // namespace finegrain::calibration
