// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::kernels {

/// "iteration 370/1000" on stderr, rewritten in place once a second; nothing in a run shorter than that.
class IterationProgress {
 public:
  IterationProgress(bool shown, std::int64_t iterations);
  /// Leaves the line empty.
  ~IterationProgress();
  IterationProgress(const IterationProgress&) = delete;
  IterationProgress& operator=(const IterationProgress&) = delete;

  void finished_one(std::int64_t now_ns) {
    ++finished_;
    if (shown_ && now_ns >= show_at_ns_) show(now_ns);
  }

 private:
  void show(std::int64_t now_ns);

  bool shown_;
  std::int64_t iterations_;
  std::int64_t finished_ = 0;
  std::int64_t show_at_ns_;
};

}  // namespace finegrain::kernels
