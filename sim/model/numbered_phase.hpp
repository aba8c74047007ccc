// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "traces/iteration.hpp"

namespace finegrain {

/// A phase of an iteration as tables name it: where a kind comes again, it is numbered.
struct NumberedPhase {
  PhaseKind kind;
  int number = 1;  ///< counted from 1 among the phases of its kind

  /// "compute", "compute 2"
  std::string name() const {
    return number == 1 ? std::string(to_string(kind)) : fmt::format("{} {}", to_string(kind), number);
  }
  friend bool operator==(const NumberedPhase&, const NumberedPhase&) = default;
};

/// @param phases  in program order, each with a kind
template <class Phases>
std::vector<NumberedPhase> numbered(const Phases& phases) {
  std::map<PhaseKind, int> seen;
  std::vector<NumberedPhase> result;
  for (const auto& phase : phases)
    result.push_back({phase.kind, ++seen[phase.kind]});
  return result;
}

}  // namespace finegrain
