// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::platform {

struct Platform;

/// How many seconds a second of recorded work takes: "0.8", or by the names of hosts, "0.8,slow-*=1.5".
struct ComputeScales {
  struct OfHosts {
    std::string names;  ///< a host's, or a shell's pattern of some
    double scale;
    friend bool operator==(const OfHosts&, const OfHosts&) = default;
  };
  double of_others = 1;
  std::vector<OfHosts> of_hosts = {};  ///< the first that fits a host counts

  friend bool operator==(const ComputeScales&, const ComputeScales&) = default;
};

/// @throws InputError if it is not of that form
ComputeScales parse_compute_scales(const std::string& text, const std::string& where);

/// The same as a text, which begins with the factor of the other hosts.
std::string text_of(const ComputeScales& scales);

/// Gives hosts their own factors on recorded work (Node::work). Their speeds do not count then.
/// @throws InputError if the platform has no host of one of the names
void set_compute_scales(Platform& platform, const ComputeScales& scales, const std::string& where);

}  // namespace finegrain::platform
