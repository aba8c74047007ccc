// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"

namespace finegrain::platform {

/// Links that are scaled together: those of a cluster, its backbone, or <link>s that the file describes alike
/// and whose ids differ only in their numbers. Of more than eight kinds, only the slowest are told apart.
struct LinkClass {
  std::string name;  ///< e.g. "links of abel", "backbone of abel", "link up-*", "link up-7"
  std::optional<double> bandwidth_bytes_per_s;  ///< of the slowest link
  std::optional<double> latency_s;              ///< of the link with the longest
};

/// The classes of links, in the order of the file. @throws InputError with file and line where a number
/// cannot be read
std::vector<LinkClass> link_classes(const std::filesystem::path& file);

/// The factors by which bandwidths and latencies of links are multiplied.
struct LinkFactors {
  double bandwidth = 1;
  double latency = 1;
  std::string links = {};  ///< name of a LinkClass; empty: all links
};

/// A platform for a simulation: the file itself or, if its links are scaled, a copy of it in memory, which
/// exists as long as this object.
class ScaledPlatform {
 public:
  /// @throws InputError with file and line where a link's bandwidth or latency cannot be read
  ScaledPlatform(const Platform& platform, const LinkFactors& factors);
  ~ScaledPlatform();
  ScaledPlatform(const ScaledPlatform&) = delete;
  ScaledPlatform& operator=(const ScaledPlatform&) = delete;

  const Platform& platform() const { return platform_; }

 private:
  Platform platform_;
  int copy_ = -1;
};

}  // namespace finegrain::platform
