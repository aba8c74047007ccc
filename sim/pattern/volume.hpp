// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::pattern {

/// Messages, repeats counted, and their bytes.
struct Volume {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;

  Volume& operator+=(const Volume& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  friend bool operator==(const Volume&, const Volume&) = default;
};

}  // namespace finegrain::pattern
