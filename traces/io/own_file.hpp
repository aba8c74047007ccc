// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace finegrain {

/// A file that is open inside a program which knows nothing of it. The program may close its descriptor, as
/// daemons close all that they do not know, and open another file that gets the same number.
class OwnFile {
 public:
  /// As open(2), also in what errno then is. Descriptors of small numbers are left to the program.
  OwnFile(const char* path, int flags, mode_t mode = 0);
  ~OwnFile() { close(); }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  /// False if it could not be opened, after close(), and once the descriptor is not this file's any more.
  bool is_open() const;
  int descriptor() const { return descriptor_; }
  /// Closes it, if it is open. @returns 0, or what errno is then
  int close();

 private:
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace finegrain
