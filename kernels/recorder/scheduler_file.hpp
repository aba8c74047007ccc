// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "traces/io/own_file.hpp"

namespace finegrain::recorder {

/// How long a thread ran until some time, and was ready to run, but had no core.
struct SchedulerTimes {
  std::int64_t ran_ns = 0;  ///< of a thread that runs, until the last tick only
  std::int64_t waited_ns = 0;
};

/// What the scheduler says about a thread (proc(5): schedstat); open as long as that thread lives.
class SchedulerFile {
 public:
  /// @param path  the calling thread's, or another one's
  explicit SchedulerFile(const char* path = "/proc/thread-self/schedstat");

  /// None if the kernel does not say, or if the thread has ended.
  std::optional<SchedulerTimes> read() const;

 private:
  OwnFile file_;
};

}  // namespace finegrain::recorder
