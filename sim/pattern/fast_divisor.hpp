// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

namespace finegrain::pattern {

/// Exact division of numbers below 2^31 by a divisor that stays the same: a multiplication and a shift in
/// place of the CPU's division, which counting would otherwise wait for at every access.
///
/// Why it is exact: let L = ceil(log2 d), k = 31 + L, m = ceil(2^k / d), so that m d = 2^k + e with
/// 0 <= e < d <= 2^L. Then x m / 2^k = x / d + (x e / 2^k) / d, and x e < 2^31 2^L = 2^k for x < 2^31, so the
/// last term is less than 1 / d: too little to lift x / d to the next integer. Nothing overflows: d > 2^(L-1)
/// gives m <= 2^32, hence x m < 2^63.
class FastDivisor {
 public:
  /// @pre 1 <= divisor <= 2^31
  explicit FastDivisor(std::int64_t divisor)
      : divisor_(static_cast<std::uint64_t>(divisor)),
        shift_(31 + std::bit_width(divisor_ - 1)),
        multiplier_(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_) {
    assert(divisor >= 1 && divisor <= std::int64_t{1} << 31);
  }

  /// @pre number < 2^31
  std::uint32_t quotient(std::uint32_t number) const {
    return static_cast<std::uint32_t>(number * multiplier_ >> shift_);
  }
  /// @pre number < 2^31
  std::uint32_t remainder(std::uint32_t number) const {
    return static_cast<std::uint32_t>(number - quotient(number) * divisor_);
  }

 private:
  std::uint64_t divisor_;
  int shift_;
  std::uint64_t multiplier_;
};

}  // namespace finegrain::pattern
