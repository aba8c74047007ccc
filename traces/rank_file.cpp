// SPDX-License-Identifier: MIT
#include "traces/rank_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "traces/take.hpp"
#include "traces/varint.hpp"

namespace finegrain {
namespace {

/// As PNG's: the first byte is no text, and a transfer that changes line ends changes the magic.
constexpr std::array<unsigned char, 8> file_magic{0x89, 'F', 'G', 'T', '\r', '\n', 0x1a, '\n'};
/// "FGCK", "FGCC", "FGND", "FGST", "FGCP": of each ChunkKind.
constexpr std::array<std::uint32_t, 5> chunk_magics{0x4b434746, 0x43434746, 0x444e4746, 0x54534746,
                                                    0x50434746};

template <typename Number>
void store(std::byte*& out, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    *out++ = static_cast<std::byte>(number >> (8 * i));
}

template <typename Number>
void load(const std::byte*& in, Number& number) {
  number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    number |= static_cast<Number>(*in++) << (8 * i);
}

/// The last eight bytes of each header are the checksum of the bytes before them.
void store_checksum(std::span<std::byte> header) {
  std::byte* out = header.data() + header.size() - 8;
  store(out, checksum(header.first(header.size() - 8)));
}

bool checksum_matches(std::span<const std::byte> header) {
  std::uint64_t stored = 0;
  const std::byte* in = header.data() + header.size() - 8;
  load(in, stored);
  return stored == checksum(header.first(header.size() - 8));
}

}  // namespace

std::string rank_file_name(int rank) {
  return fmt::format("rank_{:05}.fgt", rank);
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::array<std::byte, file_header_bytes> encode(const FileHeader& header) {
  std::array<std::byte, file_header_bytes> bytes{};
  std::byte* out = bytes.data();
  for (const unsigned char c : file_magic)
    store(out, c);
  store(out, header.version);
  store(out, header.rank);
  store_checksum(bytes);
  return bytes;
}

std::array<std::byte, chunk_header_bytes> encode(const ChunkHeader& header) {
  std::array<std::byte, chunk_header_bytes> bytes{};
  std::byte* out = bytes.data();
  store(out, chunk_magics[static_cast<std::size_t>(header.kind)]);
  store(out, header.payload_bytes);
  store(out, header.content_bytes);
  store(out, header.iterations);
  store(out, header.first_iteration);
  store(out, header.messages);
  store(out, header.payload_checksum);
  store_checksum(bytes);
  return bytes;
}

std::optional<FileHeader> decode_file_header(std::span<const std::byte, file_header_bytes> bytes) {
  const bool magic =
      std::equal(file_magic.begin(), file_magic.end(), bytes.begin(),
                 [](unsigned char c, std::byte byte) { return static_cast<std::byte>(c) == byte; });
  if (!magic || !checksum_matches(bytes)) return std::nullopt;
  FileHeader header;
  const std::byte* in = bytes.data() + file_magic.size();
  load(in, header.version);
  load(in, header.rank);
  return header;
}

std::optional<ChunkHeader> decode_chunk_header(std::span<const std::byte, chunk_header_bytes> bytes) {
  if (!checksum_matches(bytes)) return std::nullopt;
  std::uint32_t magic = 0;
  const std::byte* in = bytes.data();
  load(in, magic);
  const auto known = std::ranges::find(chunk_magics, magic);
  if (known == chunk_magics.end()) return std::nullopt;
  ChunkHeader header;
  header.kind = static_cast<ChunkKind>(known - chunk_magics.begin());
  load(in, header.payload_bytes);
  load(in, header.content_bytes);
  load(in, header.iterations);
  load(in, header.first_iteration);
  load(in, header.messages);
  load(in, header.payload_checksum);
  return header;
}

std::vector<std::byte> encode(const CallInProgress& call) {
  std::vector<std::byte> content;
  append_signed(content, call.since_ns);
  append_varint(content, call.polls);
  const auto append = [&](const std::string& text) {
    for (const char c : text)
      content.push_back(static_cast<std::byte>(c));
  };
  append(call.function);
  if (call.caller.object.empty()) return content;
  content.push_back(std::byte{0});
  append_varint(content, call.caller.address);
  append(call.caller.build_id + " " + call.caller.object);
  return content;
}

CallInProgress decode_call_in_progress(std::span<const std::byte> content) {
  CallInProgress call;
  call.since_ns = take_signed(content);
  call.polls = take(content);
  const auto take_text = [&content] {
    std::string text;
    for (; !content.empty() && content.front() != std::byte{0}; content = content.subspan(1)) {
      const auto c = static_cast<char>(content.front());
      if (c < ' ' || c > '~') throw ChunkError("the name of a call has other characters than ASCII's");
      text += c;
    }
    return text;
  };
  call.function = take_text();
  if (call.function.empty()) throw ChunkError("a call has no name");
  if (content.empty()) return call;
  content = content.subspan(1);
  call.caller.address = take(content);
  const std::string object = take_text();
  const std::size_t blank = object.find(' ');
  if (blank == std::string::npos || !content.empty())
    throw ChunkError("a call's place is no address of a file");
  call.caller.build_id = object.substr(0, blank);
  call.caller.object = object.substr(blank + 1);
  return call;
}

}  // namespace finegrain
