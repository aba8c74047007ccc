// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "sim/replay/engine/flow.hpp"

namespace finegrain::replay {

/// Copies within nodes that go on beside what their ranks do. A rank does one after the other. A copy between
/// two memory domains has two parts, half of its bytes over each.
class Copies {
 public:
  struct Part {
    double bytes;
    std::uint32_t domain;
    std::optional<Flow> completes;  ///< what is done when they have been moved; none: another part follows
  };

  /// @returns whether the rank has no other copy: its current() part is to be begun now
  bool add(std::size_t rank, double bytes, std::uint32_t from_domain, std::uint32_t to_domain,
           const Flow& completes);
  /// The part of the rank that is under way; null: it copies nothing.
  const Part* current(std::size_t rank) const;
  /// The current part has been moved: the next one is current. @returns what is done with it
  std::optional<Flow> end_part(std::size_t rank);

 private:
  std::map<std::size_t, std::deque<Part>> copies_;  ///< by ranks
};

}  // namespace finegrain::replay
