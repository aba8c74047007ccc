// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "traces/rank_file.hpp"

namespace finegrain::fuzz {

// docs/trace-format.md
inline constexpr std::size_t payload_size_at = 4;
inline constexpr std::size_t payload_checksum_at = 32;

/// A rank's file with the checksums that its headers and payloads should have.
inline std::string with_right_checksums(std::string file) {
  const auto correct = [&](std::size_t at, std::size_t from, std::size_t size) {
    const std::uint64_t value = checksum(std::as_bytes(std::span(file).subspan(from, size)));
    std::memcpy(&file[at], &value, sizeof value);
  };
  if (file.size() < file_header_bytes) return file;
  correct(file_header_bytes - 8, 0, file_header_bytes - 8);
  for (std::size_t at = file_header_bytes; file.size() - at >= chunk_header_bytes;) {
    std::uint32_t payload_bytes = 0;
    std::memcpy(&payload_bytes, &file[at + payload_size_at], sizeof payload_bytes);
    const std::size_t payload_at = at + chunk_header_bytes;
    const std::size_t present = std::min<std::size_t>(payload_bytes, file.size() - payload_at);
    correct(at + payload_checksum_at, payload_at, present);
    correct(payload_at - 8, at, chunk_header_bytes - 8);
    at = payload_at + present;
  }
  return file;
}

}  // namespace finegrain::fuzz
