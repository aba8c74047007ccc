// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace finegrain::replay {

// Values as bytes, for the pipe between a process and its fork: numbers and records of them, texts, vectors,
// pairs, and types that name their parts by a function parts_of(), which returns a std::tie of them.

template <class Value>
void append(std::string& bytes, const Value& value) {
  if constexpr (std::is_trivially_copyable_v<Value>) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (requires { value.begin(); }) {
    append(bytes, static_cast<std::uint64_t>(value.size()));
    for (const auto& each : value)
      append(bytes, each);
  } else if constexpr (requires { value.first; }) {
    append(bytes, value.first);
    append(bytes, value.second);
  } else {
    std::apply([&](const auto&... parts) { (append(bytes, parts), ...); },
               parts_of(const_cast<Value&>(value)));
  }
}

/// @pre `bytes` begins with an appended Value
template <class Value>
void take(std::string_view& bytes, Value& value) {
  if constexpr (std::is_trivially_copyable_v<Value>) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
  } else if constexpr (requires { value.begin(); }) {
    std::uint64_t size = 0;
    take(bytes, size);
    value.resize(size);
    for (auto& each : value)
      take(bytes, each);
  } else if constexpr (requires { value.first; }) {
    take(bytes, value.first);
    take(bytes, value.second);
  } else {
    std::apply([&](auto&... parts) { (take(bytes, parts), ...); }, parts_of(value));
  }
}

}  // namespace finegrain::replay
