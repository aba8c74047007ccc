// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "traces/interval.hpp"
#include "traces/manifest.hpp"

namespace finegrain {

/// From a rank's clock to rank 0's. Two clocks drift apart steadily, so between the two measurements, and
/// beyond them, the offset lies on the line through both; on one measurement alone it is constant.
class ClockMap {
 public:
  ClockMap(const ClockOffset& start, const std::optional<ClockOffset>& end);

  std::int64_t to_rank0_ns(std::int64_t time_ns) const;
  Interval to_rank0(const Interval& interval) const {
    return {to_rank0_ns(interval.start_ns), to_rank0_ns(interval.end_ns)};
  }

 private:
  ClockOffset start_;
  double drift_ = 0;  ///< change of the offset, ns per ns
};

}  // namespace finegrain
