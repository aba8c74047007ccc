// SPDX-License-Identifier: MIT
#pragma once

#include <zstd.h>

#include <cstdint>
#include <span>
#include <string>

#include "traces/rank_file.hpp"

namespace finegrain::fuzz {

struct Counts {
  std::uint32_t iterations = 0;
  std::uint64_t posts = 0;
};

template <typename Header>
void append(std::string& file, const Header& header) {
  const auto bytes = encode(header);
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// A rank's file of one chunk, with right checksums and counts.
inline std::string rank_file_of(std::span<const std::uint8_t> content, ChunkKind kind, const Counts& counts) {
  std::string payload(ZSTD_compressBound(content.size()), '\0');
  payload.resize(ZSTD_compress(payload.data(), payload.size(), content.data(), content.size(), 1));
  ChunkHeader chunk;
  chunk.kind = kind;
  chunk.payload_bytes = static_cast<std::uint32_t>(payload.size());
  chunk.content_bytes = static_cast<std::uint32_t>(content.size());
  chunk.iterations = counts.iterations;
  chunk.messages = counts.posts;
  chunk.payload_checksum = checksum(std::as_bytes(std::span(payload)));
  ChunkHeader end;
  end.kind = ChunkKind::end_mark;
  end.first_iteration = counts.iterations;
  end.messages = counts.posts;
  end.payload_checksum = checksum({});
  std::string file;
  append(file, FileHeader{});
  append(file, chunk);
  file += payload;
  append(file, end);
  return file;
}

}  // namespace finegrain::fuzz
