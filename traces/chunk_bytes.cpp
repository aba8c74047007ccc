// SPDX-License-Identifier: MIT
#include "traces/chunk_bytes.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace finegrain {
namespace {

/// Each part begins a zstd block of its own, which costs a few bytes.
std::size_t compressed_bound(const ChunkContent& content) {
  return ZSTD_compressBound(content.bytes.size()) + 16 * content.part_bytes.size();
}

/// Appends a frame of zeros that zstd skips, where the payload is smaller than a reader believes.
/// Source: RFC 8878, section 3.1.2.
void lengthen(std::vector<std::byte>& chunk, std::size_t content_bytes) {
  const std::size_t payload_bytes = chunk.size() - chunk_header_bytes;
  if (content_bytes <= most_content_bytes(payload_bytes)) return;
  const auto zeros = static_cast<std::uint32_t>(content_bytes / 256 + 1);
  const std::array<std::uint32_t, 2> header{ZSTD_MAGIC_SKIPPABLE_START, zeros};
  const auto bytes = std::as_bytes(std::span(header));
  chunk.insert(chunk.end(), bytes.begin(), bytes.end());
  chunk.resize(chunk.size() + zeros);
}

/// One zstd frame, a block boundary after every part, so that each part gets its own entropy code.
/// @returns the compressed size, or a zstd error
std::size_t compress(ZSTD_CCtx* context, const ChunkContent& content, int level, std::span<std::byte> out) {
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setPledgedSrcSize(context, content.bytes.size());
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  ZSTD_inBuffer input{content.bytes.data(), 0, 0};
  for (const std::size_t part_bytes : content.part_bytes) {
    input.size += part_bytes;
    const bool last = input.size == content.bytes.size();
    const std::size_t left = ZSTD_compressStream2(context, &output, &input, last ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(left)) return left;
    if (last) break;
  }
  return output.pos;
}

}  // namespace

void ChunkBytes::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

const char* ChunkBytes::make(ChunkHeader header, const ChunkContent& content, int level,
                             std::vector<std::byte>& bytes) {
  const std::size_t content_bytes = content.bytes.size();
  if (content_bytes > largest_chunk_bytes) return "one iteration takes more than 1 GiB";
  if (!context_) context_.reset(ZSTD_createCCtx());
  if (!context_) return "out of memory";
  bytes.resize(chunk_header_bytes + compressed_bound(content));
  const std::size_t compressed_bytes =
      compress(context_.get(), content, level, std::span(bytes).subspan(chunk_header_bytes));
  if (ZSTD_isError(compressed_bytes)) return ZSTD_getErrorName(compressed_bytes);
  bytes.resize(chunk_header_bytes + compressed_bytes);
  lengthen(bytes, content_bytes);
  const auto payload = std::span<const std::byte>(bytes).subspan(chunk_header_bytes);
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.content_bytes = static_cast<std::uint32_t>(content_bytes);
  header.payload_checksum = checksum(payload);
  std::ranges::copy(encode(header), bytes.begin());
  return nullptr;
}

}  // namespace finegrain
