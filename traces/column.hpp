// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
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

/// The parts hold bytes of different kinds and compress best apart from one another.
struct ChunkContent {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> part_bytes;  ///< sizes of the parts that `bytes` is made of
};

/// A content that begins with these bytes; then come the sizes of its parts, and the parts, which are
/// emptied: those given, and those of the columns.
inline ChunkContent joined(std::vector<std::byte> beginning, std::vector<std::vector<std::byte>*> parts,
                           std::initializer_list<ColumnWriter*> columns) {
  for (ColumnWriter* column : columns)
    for (std::vector<std::byte>& plane : column->planes())
      parts.push_back(&plane);
  std::size_t size_bytes = 0;
  for (const std::vector<std::byte>* part : parts) {
    append_varint(beginning, part->size());
    size_bytes += part->size();
  }
  ChunkContent content{std::move(beginning), {}};
  content.part_bytes.push_back(content.bytes.size());
  content.bytes.reserve(content.bytes.size() + size_bytes);
  for (std::vector<std::byte>* part : parts) {
    content.bytes.insert(content.bytes.end(), part->begin(), part->end());
    content.part_bytes.push_back(part->size());
    part->clear();
  }
  return content;
}

/// The unit in which times are kept.
struct Tick {
  std::int64_t ns = 1;  ///< 0: no times are kept

  /// How many ticks a time is, rounded down. Differences of ticks wrap instead of overflowing, so any two
  /// clock values survive the round trip.
  std::uint64_t count(std::int64_t time_ns) const {
    if (ns == 1) return static_cast<std::uint64_t>(time_ns);  // divisions take most of the encoding
    if (ns == 0) return 0;
    const std::int64_t towards_zero = time_ns / ns;
    return static_cast<std::uint64_t>(towards_zero - (time_ns % ns < 0 ? 1 : 0));
  }
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
