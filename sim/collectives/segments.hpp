// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/collectives/layout.hpp"

namespace finegrain::collectives {

/// A vector cut into messages of whole elements, the last of which may be shorter.
class Segments {
 public:
  /// Segments are rounded to the nearest number of elements. Where a segment would be smaller than an
  /// element, or not smaller than the vector, there is one.
  Segments(std::int64_t elements, std::int64_t element_bytes, std::int64_t segment_bytes)
      : elements_(elements),
        element_bytes_(element_bytes),
        per_segment_(std::max<std::int64_t>(elements, 1)) {
    if (element_bytes <= 0 || segment_bytes < element_bytes || segment_bytes >= elements * element_bytes)
      return;
    per_segment_ = segment_bytes / element_bytes;
    if (segment_bytes % element_bytes > element_bytes / 2) ++per_segment_;
  }
  Segments(const Call& call, std::int64_t segment_bytes)
      : Segments(elements(call), call.element_bytes, segment_bytes) {}

  std::int64_t count() const { return (elements_ + per_segment_ - 1) / per_segment_; }
  std::int64_t elements_of(std::int64_t segment) const {
    return std::clamp<std::int64_t>(elements_ - segment * per_segment_, 0, per_segment_);
  }
  /// Bytes.
  std::int64_t operator[](std::int64_t segment) const { return elements_of(segment) * element_bytes_; }
  std::int64_t elements_per_segment() const { return per_segment_; }

 private:
  std::int64_t elements_;
  std::int64_t element_bytes_;
  std::int64_t per_segment_;
};

}  // namespace finegrain::collectives
