// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"

namespace finegrain::platform {

/// A factor by the size of a message, as SimGrid's smpi/lat-factor has it: that of the largest size below the
/// message's, and 1 where there is none. "1KiB:2;64KiB:3" is 1 for 1024 B, 2 for 1025 B, and 3 for 1 MiB.
struct SizeFactors {
  struct Piece {
    double above_bytes;
    double factor;
  };
  std::vector<Piece> pieces = {};  ///< by ascending sizes

  bool empty() const { return pieces.empty(); }
  double of(double bytes) const;
};

/// The text of latency_factors or bandwidth_factors: the property, or else SimGrid's own setting in the
/// file's <config>, smpi/lat-factor or smpi/bw-factor.
std::optional<TextProperty> size_factors_text(const PlatformDocument& document,
                                              const std::vector<std::string>& overrides,
                                              std::string_view name);

/// Those factors; empty where none are given. @throws InputError if they are malformed
SizeFactors read_size_factors(const PlatformDocument& document, const std::vector<std::string>& overrides,
                              std::string_view name);

}  // namespace finegrain::platform
