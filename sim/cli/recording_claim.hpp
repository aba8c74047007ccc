// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/io/descriptor.hpp"

namespace finegrain::cli {

/// While it lives, no other recording on this computer goes into the same folder. However this process ends,
/// nothing of it is left.
class RecordingClaim {
 public:
  /// @throws InputError if another one lives
  explicit RecordingClaim(const std::filesystem::path& folder);

 private:
  Descriptor socket_;
};

}  // namespace finegrain::cli
