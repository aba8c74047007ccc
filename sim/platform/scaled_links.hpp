// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/memory_file.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::platform {

/// The places where SimGrid's DTD has a bandwidth of a link, as an XPath.
inline constexpr const char* bandwidth_attributes =
    "//link/@bandwidth | //backbone/@bandwidth | //cluster/@bw | //cluster/@bb_bw | //cluster/@limiter_link "
    "| "
    "//cabinet/@bw | //peer/@bw_in | //peer/@bw_out";

/// Links that are scaled together: those of a cluster, its backbone, its limiters, or <link>s that the file
/// describes alike and whose ids differ only in their numbers. Of more than eight kinds, only the slowest are
/// told apart.
struct LinkClass {
  std::string name;  ///< e.g. "links of abel", "backbone of abel", "link up-*", "link up-7"
  std::optional<double> bandwidth_bytes_per_s;  ///< the slowest link's
  std::optional<double> latency_s;              ///< the longest of all links
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

/// A platform file whose links are as `overrides` ask: "link_bandwidth=x2", "link_latency=/10", or of one
/// link "link:leaf3 bandwidth=x0.25". It has the name of the file, in a folder that exists as long as `kept`.
/// Without such overrides, the file itself.
struct FileWithFactors {
  std::filesystem::path path;
  std::shared_ptr<const void> kept;
};
/// @throws InputError with file and line where a link's bandwidth or latency cannot be read
FileWithFactors with_link_factors(const std::filesystem::path& file,
                                  const std::vector<std::string>& overrides);

/// A platform for a simulation: the file itself or, if its links are scaled, a copy of it in memory, which
/// exists as long as this object.
class ScaledPlatform {
 public:
  /// @throws InputError with file and line where a link's bandwidth or latency cannot be read
  ScaledPlatform(const Platform& platform, const LinkFactors& factors);

  const Platform& platform() const { return platform_; }

 private:
  Platform platform_;
  std::optional<MemoryFile> copy_;
};

}  // namespace finegrain::platform
