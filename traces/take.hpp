// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "traces/column.hpp"
#include "traces/varint.hpp"

namespace finegrain {

/// The content of a chunk does not follow the format.
class ChunkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is taken off the front of a part of a chunk. @throws ChunkError where it is not there

inline std::uint64_t take(std::span<const std::byte>& part) {
  std::uint64_t value = 0;
  if (!take_varint(part, value)) throw ChunkError("a number is cut or longer than 64 bits");
  return value;
}

inline std::int64_t take_signed(std::span<const std::byte>& part) {
  return unzigzag(take(part));
}

/// A number from 0 on, as most are.
inline std::int64_t take_number(std::span<const std::byte>& part) {
  const std::uint64_t value = take(part);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw ChunkError("a number is longer than 63 bits");
  return static_cast<std::int64_t>(value);
}

/// A tag, a communicator, a rank.
inline std::int32_t take_int(std::span<const std::byte>& part) {
  const std::int64_t value = take_signed(part);
  if (value != static_cast<std::int32_t>(value))
    throw ChunkError("a tag or communicator is longer than 32 bits");
  return static_cast<std::int32_t>(value);
}

/// Reads how many things follow, each of at least `least_bytes_each` bytes.
inline std::size_t take_count(std::span<const std::byte>& part, std::size_t least_bytes_each) {
  const std::uint64_t count = take(part);
  if (count > part.size() / least_bytes_each || count > std::numeric_limits<std::int32_t>::max())
    throw ChunkError("more regions or operations than the chunk has room for");
  return count;
}

inline std::byte take_byte(std::span<const std::byte>& part) {
  if (part.empty()) throw ChunkError("an operation is cut");
  const std::byte byte = part.front();
  part = part.subspan(1);
  return byte;
}

inline std::span<const std::byte> take_bytes(std::span<const std::byte>& part, std::uint64_t size) {
  if (size > part.size()) throw ChunkError("a part is longer than the chunk");
  const auto bytes = part.first(size);
  part = part.subspan(size);
  return bytes;
}

inline std::uint64_t take(ColumnReader& column) {
  std::uint64_t value = 0;
  if (!column.take(value)) throw ChunkError("a number is cut or longer than 64 bits");
  return value;
}

inline std::int64_t take_signed(ColumnReader& column) {
  return unzigzag(take(column));
}

/// What joined() made: the sizes of the parts, and the parts.
class ContentParts {
 public:
  /// @param rest  the content after its beginning
  ContentParts(std::span<const std::byte> rest, std::size_t parts) : sizes_(parts), rest_(rest) {
    for (std::uint64_t& size : sizes_)
      size = finegrain::take(rest_);
  }

  std::span<const std::byte> take() { return take_bytes(rest_, sizes_[next_++]); }
  ColumnReader take_column() {
    ColumnReader::Planes planes;
    for (auto& plane : planes)
      plane = take();
    return ColumnReader(planes);
  }
  /// @throws ChunkError if there are bytes after the last part
  void check_end() const {
    if (!rest_.empty()) throw ChunkError("bytes are left over");
  }

 private:
  std::vector<std::uint64_t> sizes_;
  std::size_t next_ = 0;
  std::span<const std::byte> rest_;
};

}  // namespace finegrain
