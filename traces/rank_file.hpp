// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/call_frame.hpp"

namespace finegrain {

/// The fixed parts of a rank's file (docs/trace-format.md, "A rank's file"), little-endian.
constexpr std::uint32_t rank_file_version = 5;
/// Files of version 4 hold what a file of the newest may hold, but no places of calls; of this version, no
/// calls either.
constexpr std::uint32_t oldest_rank_file_version = 3;
constexpr std::size_t file_header_bytes = 24;
constexpr std::size_t chunk_header_bytes = 48;
/// A chunk's content is about 1 MiB unless one iteration alone is more; above this it is damage, not data.
constexpr std::uint32_t largest_chunk_bytes = 1U << 30;
/// The most content of a payload of that size, so that a small file cannot ask for much memory. A recorder
/// lengthens a payload that compresses better.
constexpr std::uint64_t most_content_bytes(std::uint64_t payload_bytes) {
  constexpr std::uint64_t any_payload_bytes = 2 << 20;
  // A block of zstd takes at least 4 bytes (its header of 3, and the byte to repeat) and gives at most
  // 128 KiB. Source: RFC 8878, sections 3.1.1.2.2 to 3.1.1.2.4.
  return std::min(payload_bytes / 4 * (128 << 10), std::max(any_payload_bytes, payload_bytes * 256));
}

/// "rank_00007.fgt"
std::string rank_file_name(int rank);

struct FileHeader {
  std::uint32_t version = rank_file_version;
  std::uint32_t rank = 0;
};

/// To which each rank adds a byte once its file has ended, until the last one has.
constexpr const char* ended_file_name = ".ended";

/// A mark's counts are the file's totals. `stopped` stands in place of the end mark where the
/// recording ended before its program did: its payload is the reason, as plain text.
enum class ChunkKind : std::uint8_t { iterations, calls, end_mark, stopped, call_in_progress };
/// The longest reason.
constexpr std::size_t most_reason_bytes = 200;

/// The call that a rank was in for long when its file was written. If nothing follows it in the file, the
/// rank never returned from it.
struct CallInProgress {
  std::string function;       ///< empty: none
  std::int64_t since_ns = 0;  ///< when it began, on the rank's clock
  std::uint64_t polls = 0;    ///< how often it was called in a row and found nothing; 0: it is one call
  CallFrame caller = {};      ///< where it was made; of no object: not known

  friend bool operator==(const CallInProgress&, const CallInProgress&) = default;
};

struct ChunkHeader {
  ChunkKind kind = ChunkKind::iterations;
  std::uint32_t payload_bytes = 0;     ///< compressed, follows the header
  std::uint32_t content_bytes = 0;     ///< after decompression
  std::uint32_t iterations = 0;        ///< or calls, in this chunk
  std::uint64_t first_iteration = 0;   ///< end mark: iterations in the file
  std::uint64_t messages = 0;          ///< transfers posted in this chunk; end mark: in the file
  std::uint64_t payload_checksum = 0;  ///< XXH3-64
};

std::array<std::byte, file_header_bytes> encode(const FileHeader& header);
std::array<std::byte, chunk_header_bytes> encode(const ChunkHeader& header);

/// @returns none if the magic or the checksum is wrong
std::optional<FileHeader> decode_file_header(std::span<const std::byte, file_header_bytes> bytes);
std::optional<ChunkHeader> decode_chunk_header(std::span<const std::byte, chunk_header_bytes> bytes);

/// The content of a chunk of that kind.
std::vector<std::byte> encode(const CallInProgress& call);
/// @throws ChunkError
CallInProgress decode_call_in_progress(std::span<const std::byte> content);

std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace finegrain
