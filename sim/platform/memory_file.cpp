// SPDX-License-Identifier: MIT
#include "sim/platform/memory_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "traces/io/input_error.hpp"

namespace finegrain::platform {

MemoryFile::MemoryFile(std::string_view text, const std::string& instead_of)
    : descriptor_(::memfd_create("platform", 0)) {
  bool failed = descriptor_ < 0;
  while (!failed && !text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    failed = written <= 0;
    if (!failed) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!failed) return;
  const int error = errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw InputError(instead_of, fmt::format("no memory for a copy of it ({})", std::strerror(error)),
                   "Use fewer processes");
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::filesystem::path MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace finegrain::platform
