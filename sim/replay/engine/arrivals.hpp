// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace finegrain::replay {

/// A rank's receives of any source. They take the messages that they took in the recording; if the messages
/// of two consecutive ones arrive in the other order, the program might have gone on differently.
class Arrivals {
 public:
  /// The number of the next receive, from 1 on.
  std::int64_t number_next() { return ++receives_; }
  /// The message of a receive has arrived. @returns how many of the receives before and after it get their
  /// messages in the wrong order
  std::int64_t note(std::int64_t receive, double at_s);

 private:
  std::int64_t receives_ = 0;
  std::vector<std::pair<std::int64_t, double>> last_;  ///< receives whose messages came last, and when
};

}  // namespace finegrain::replay
