// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/replay/shares_done.hpp"

namespace finegrain::replay {

/// Says how much of a simulation is done, to whoever asks this process.
class Progress {
 public:
  /// To be called at each event. @param share_done  computes it, from 0 to 1
  template <class ShareDone>
  void tell(ShareDone&& share_done) {
    constexpr std::uint32_t events_between = 4096;
    if (listener_ == nullptr || ++events_since_told_ < events_between) return;
    events_since_told_ = 0;
    *listener_ = share_done();
  }

 private:
  std::atomic<double>* const listener_ = share_of_this_process();
  std::uint32_t events_since_told_ = 0;
};

}  // namespace finegrain::replay
