// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace finegrain::cli {

/// While it lives, no other recording on this computer goes into the same folder. However this process ends,
/// nothing of it is left.
class RecordingClaim {
 public:
  /// @throws InputError if another one lives
  explicit RecordingClaim(const std::filesystem::path& folder);
  ~RecordingClaim();
  RecordingClaim(const RecordingClaim&) = delete;
  RecordingClaim& operator=(const RecordingClaim&) = delete;

 private:
  int socket_;
};

}  // namespace finegrain::cli
