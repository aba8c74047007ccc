// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace finegrain::platform_make {

/// A number of a machine, and where it is from: both end up in the platform file.
struct Number {
  std::string text;  ///< as the file has it, e.g. "200Gbps"
  std::string
      origin;  ///< e.g. "given: 'link: 200Gbps 600ns'", "slurm.conf:12: 2 sockets x CoresPerSocket=64"
  bool is_typical = false;  ///< nobody gave it
};

/// By their names: "cores", "link_bandwidth", "memory_bandwidth", "levels", ...
using Numbers = std::map<std::string, Number, std::less<>>;

}  // namespace finegrain::platform_make
