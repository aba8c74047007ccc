// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::model {

/// A region of a body as tables name it. Regions of the same name are numbered.
struct NumberedPhase {
  RegionName region;
  int number = 1;  ///< counted from 1 among the regions of that name

  /// "compute", "compute 2"
  std::string name() const {
    return number == 1 ? std::string(region.text()) : fmt::format("{} {}", region.text(), number);
  }
  friend bool operator==(const NumberedPhase&, const NumberedPhase&) = default;
};

/// Whether a table has a row for each region of a body, or one for all regions of a name.
enum class PhaseNames : std::uint8_t { each, together };

/// @param regions  in program order, each with a name
/// @param names  together: every number is 1, and a name may occur several times
template <class Regions>
std::vector<NumberedPhase> numbered(const Regions& regions, PhaseNames names = PhaseNames::each) {
  std::map<RegionName, int> seen;
  std::vector<NumberedPhase> result;
  for (const auto& region : regions)
    result.push_back({region.name, names == PhaseNames::each ? ++seen[region.name] : 1});
  return result;
}

}  // namespace finegrain::model
