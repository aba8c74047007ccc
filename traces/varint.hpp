// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace finegrain {

/// Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

/// LEB128: seven bits a byte, the lowest first, the top bit set on all but the last byte.
inline void append_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

inline void append_signed(std::vector<std::byte>& out, std::int64_t value) {
  append_varint(out, zigzag(value));
}

/// @pre value >= 0, or the reader wants the 64 bits as they are
inline void append_number(std::vector<std::byte>& out, std::int64_t value) {
  append_varint(out, static_cast<std::uint64_t>(value));
}

/// The size of the text, and its characters.
inline void append_text(std::vector<std::byte>& out, std::string_view text) {
  append_varint(out, text.size());
  for (const char c : text)
    out.push_back(static_cast<std::byte>(c));
}

/// Takes one LEB128 number off the front of `bytes`. @returns false if there is none or it exceeds 64 bits
inline bool take_varint(std::span<const std::byte>& bytes, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    if (i == 9 && byte > 1) return false;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes = bytes.subspan(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace finegrain
