// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

template <typename Record>
void append(std::string& bytes, const std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  append(bytes, static_cast<std::uint64_t>(records.size()));
  bytes.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record));
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

/// @pre `bytes` begins with appended records
template <typename Record>
void take(std::string_view& bytes, std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::uint64_t count = 0;
  take(bytes, count);
  records.resize(count);
  if (count > 0) std::memcpy(records.data(), bytes.data(), count * sizeof(Record));
  bytes.remove_prefix(count * sizeof(Record));
}

}  // namespace finegrain
