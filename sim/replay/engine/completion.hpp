// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace finegrain::replay {

/// When a partner had come for whom a rank waits, and as what.
struct Partner {
  enum class Role : std::uint8_t { sender, receiver, member };  ///< member: of a collective
  double came_s = 0;                                            ///< 0: there is none to wait for
  std::int32_t rank = -1;
  Role role = Role::sender;

  /// Keeps the one who came last.
  void or_later(const Partner& other) {
    if (other.came_s > came_s) *this = other;
  }
};

/// When something is complete, and when it would be if its bytes had been alone on their way.
struct Completion {
  double at_s = 0;
  double alone_s = 0;

  Completion later_by(double seconds) const { return {at_s + seconds, alone_s + seconds}; }
  void or_later(const Completion& other) {
    at_s = std::max(at_s, other.at_s);
    alone_s = std::max(alone_s, other.alone_s);
  }
};

}  // namespace finegrain::replay
