// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::model {

/// A region of a body as tables name it: where a name comes again, it is numbered.
struct NumberedPhase {
  RegionName region;
  int number = 1;  ///< counted from 1 among the regions of that name

  /// "compute", "compute 2"
  std::string name() const {
    return number == 1 ? std::string(region.text()) : fmt::format("{} {}", region.text(), number);
  }
  friend bool operator==(const NumberedPhase&, const NumberedPhase&) = default;
};

/// @param regions  in program order, each with a name
template <class Regions>
std::vector<NumberedPhase> numbered(const Regions& regions) {
  std::map<RegionName, int> seen;
  std::vector<NumberedPhase> result;
  for (const auto& region : regions)
    result.push_back({region.name, ++seen[region.name]});
  return result;
}

}  // namespace finegrain::model
