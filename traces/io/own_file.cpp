// SPDX-License-Identifier: MIT
#include "traces/io/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace finegrain {
namespace {

/// Beyond the numbers that programs usually have, and that a loop over "all" descriptors reaches.
constexpr int first_descriptor = 512;

}  // namespace

OwnFile::OwnFile(const char* path, int flags, mode_t mode)
    : descriptor_(::open(path, flags | O_CLOEXEC, mode)) {
  if (descriptor_ < 0) return;
  // It fails where fewer descriptors are allowed.
  if (const int high = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, first_descriptor); high >= 0)
    ::close(std::exchange(descriptor_, high));
  struct stat file;
  if (::fstat(descriptor_, &file) != 0) return;
  device_ = file.st_dev;
  inode_ = file.st_ino;
}

bool OwnFile::is_open() const {
  struct stat file;
  return descriptor_ >= 0 && ::fstat(descriptor_, &file) == 0 && file.st_dev == device_ &&
         file.st_ino == inode_;
}

int OwnFile::close() {
  const bool was_open = is_open();
  const int descriptor = std::exchange(descriptor_, -1);
  return was_open && ::close(descriptor) != 0 ? errno : 0;
}

}  // namespace finegrain
