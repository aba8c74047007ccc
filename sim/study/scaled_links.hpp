// SPDX-License-Identifier: MIT
#pragma once

#include "sim/study/study_inputs.hpp"

namespace finegrain::study {

/// A changed platform for a simulation: the file itself, or where its links are scaled a copy of it that
/// lives in memory as long as this does.
class ScaledPlatform {
 public:
  /// @throws InputError with file and line where a link's bandwidth or latency cannot be read
  explicit ScaledPlatform(const ChangedPlatform& changed);
  ~ScaledPlatform();
  ScaledPlatform(const ScaledPlatform&) = delete;
  ScaledPlatform& operator=(const ScaledPlatform&) = delete;

  const platform::Platform& platform() const { return platform_; }

 private:
  platform::Platform platform_;
  int copy_ = -1;
};

}  // namespace finegrain::study
