// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/varint.hpp"

namespace finegrain {

/// Numbers as LEB128, the first bytes of all numbers together, then the second bytes, and so on: low bytes
/// are noise and high bytes repeat, so separately they compress better.
constexpr std::size_t planes_of_a_column = 10;  // ceil(64 / 7)

class ColumnWriter {
 public:
  void add(std::uint64_t value) {
    std::size_t plane = 0;
    for (; value >= 0x80; value >>= 7)
      planes_[plane++].push_back(static_cast<std::byte>(value | 0x80));
    planes_[plane].push_back(static_cast<std::byte>(value));
  }
  void add_signed(std::int64_t value) { add(zigzag(value)); }

  std::size_t size_bytes() const {
    std::size_t size = 0;
    for (const auto& plane : planes_)
      size += plane.size();
    return size;
  }
  std::array<std::vector<std::byte>, planes_of_a_column>& planes() { return planes_; }

 private:
  std::array<std::vector<std::byte>, planes_of_a_column> planes_;
};

class ColumnReader {
 public:
  using Planes = std::array<std::span<const std::byte>, planes_of_a_column>;

  ColumnReader() = default;
  explicit ColumnReader(const Planes& planes) : planes_(planes) {}

  /// @returns false if there is no further number or it exceeds 64 bits
  bool take(std::uint64_t& value) {
    value = 0;
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
      if (planes_[plane].empty()) return false;
      const auto byte = static_cast<std::uint64_t>(planes_[plane].front());
      planes_[plane] = planes_[plane].subspan(1);
      if (plane == 9 && byte > 1) return false;
      value |= (byte & 0x7f) << (7 * plane);
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool empty() const {
    for (const auto& plane : planes_) {
      if (!plane.empty()) return false;
    }
    return true;
  }

 private:
  Planes planes_;
};

}  // namespace finegrain
