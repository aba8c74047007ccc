// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/io/descriptor.hpp"

namespace finegrain::study {

/// Lets one process at a time work on a study. The kernel, or the file server, releases the lock when the
/// process ends, however it ends. The file stays.
class LockFile {
 public:
  /// @throws InputError that says who holds the lock, or why it cannot be taken
  explicit LockFile(std::filesystem::path path);

 private:
  Descriptor descriptor_;
};

}  // namespace finegrain::study
