// SPDX-License-Identifier: MIT
#include "kernels/recorder/scheduler_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace finegrain::recorder {

SchedulerFile::SchedulerFile(const char* path) : file_(path, O_RDONLY) {}

std::optional<SchedulerTimes> SchedulerFile::read() const {
  char text[64];
  const ssize_t length = file_.is_open() ? ::pread(file_.descriptor(), text, sizeof text, 0) : -1;
  if (length <= 0) return std::nullopt;
  // How long it ran and waited, in ns, and how often it had a core. The C library's functions for this are
  // harmed if a signal's handler leaves them.
  std::array<std::int64_t, 3> values;
  const char* at = text;
  for (std::int64_t& value : values) {
    const auto [after, error] = std::from_chars(at, text + length, value);
    if (error != std::errc()) return std::nullopt;
    at = std::min<const char*>(after + 1, text + length);
  }
  if (values[2] == 0) return std::nullopt;  // a kernel that does not count has zeros: the thread has run
  return SchedulerTimes{values[0], values[1]};
}

}  // namespace finegrain::recorder
