// SPDX-License-Identifier: MIT
#include "traces/io/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace finegrain {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  // The shortest spelling only, no halves of UTF-16, nothing beyond Unicode.
  const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < least || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
  return {code, bytes};
}

bool is_control(char c) {
  return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F;
}

/// Control characters, line separators, and marks of direction.
bool is_harmful(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character first = first_of(text);
    const std::string_view bytes = text.substr(0, first.bytes == 0 ? 1 : first.bytes);
    if (first.bytes != 0 && !is_harmful(first.code)) {
      result += bytes;
    } else if (bytes == "\n") {
      result += "\\n";
    } else if (bytes == "\t") {
      result += "\\t";
    } else {
      for (const char byte : bytes)
        result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(byte));
    }
    text.remove_prefix(bytes.size());
  }
  return result;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character first = first_of(text);
    if (first.bytes == 0) return false;
    text.remove_prefix(first.bytes);
  }
  return true;
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  // $'...' knows escapes, but every shell knows '...'.
  const bool has_control = std::ranges::any_of(text, [](char c) { return is_control(c); });
  std::string result = has_control ? "$'" : "'";
  for (const char c : text) {
    if (is_control(c)) {
      result += fmt::format("\\{:03o}", static_cast<std::uint8_t>(c));
    } else if (has_control && (c == '\'' || c == '\\')) {
      result += std::string("\\") + c;
    } else if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + '\'';
}

void complain(std::string_view line) noexcept {
  try {
    std::fputs((printable(line) + '\n').c_str(), stderr);
    std::fflush(stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
  }
}

}  // namespace finegrain
