// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace finegrain {

// Values as bytes, for the pipe between a process and its fork.

template <typename Number>
void append(std::string& bytes, Number number) {
  static_assert(std::is_arithmetic_v<Number>);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline void append(std::string& bytes, const std::string& text) {
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

/// @pre `bytes` begins with an appended Number
template <typename Number>
void take(std::string_view& bytes, Number& number) {
  static_assert(std::is_arithmetic_v<Number>);
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
}

/// @pre `bytes` begins with an appended text
inline void take(std::string_view& bytes, std::string& text) {
  std::uint64_t size = 0;
  take(bytes, size);
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
}

}  // namespace finegrain
