// SPDX-License-Identifier: MIT
//
// The content of a chunk, and what is made of a trace that consists of it: nonsense with right checksums.
#include "traces/chunk.hpp"

#include <zstd.h>

#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/traces/recording.hpp"
#include "traces/diff.hpp"
#include "traces/measurement.hpp"
#include "traces/rank_file.hpp"
#include "traces/summary.hpp"
#include "traces/verify.hpp"

namespace finegrain::fuzz {
namespace {

constexpr int ranks = 9;

struct Counts {
  std::uint32_t iterations = 0;
  std::uint64_t posts = 0;
};

/// What can be decoded before the content ends, or is found to be wrong.
Counts count(std::span<const std::uint8_t> input) {
  Counts counts;
  try {
    const auto content = std::as_bytes(input);
    ChunkDecoder decoder({content.begin(), content.end()}, ranks);
    while (!decoder.exhausted()) {
      counts.posts += static_cast<std::uint64_t>(decoder.next().shape->all_posts);
      ++counts.iterations;
    }
  } catch (const ChunkError&) {
  }
  return counts;
}

template <typename Header>
void append(std::string& file, const Header& header) {
  const auto bytes = encode(header);
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string rank_file(std::span<const std::uint8_t> input, const Counts& counts) {
  std::string payload(ZSTD_compressBound(input.size()), '\0');
  payload.resize(ZSTD_compress(payload.data(), payload.size(), input.data(), input.size(), 1));
  ChunkHeader chunk;
  chunk.payload_bytes = static_cast<std::uint32_t>(payload.size());
  chunk.content_bytes = static_cast<std::uint32_t>(input.size());
  chunk.iterations = counts.iterations;
  chunk.messages = counts.posts;
  chunk.payload_checksum = checksum(std::as_bytes(std::span(payload)));
  ChunkHeader end;
  end.end_mark = true;
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

}  // namespace
}  // namespace finegrain::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  static const bool has_manifest = [] {
    write_manifest(fuzz::folder(), test::manifest_of(fuzz::ranks, 10));
    return true;
  }();
  if (!has_manifest) return -1;
  const fuzz::Counts counts = fuzz::count({bytes, size});
  if (counts.iterations == 0) return 0;
  fuzz::write_input("rank_00000.fgt", fuzz::rank_file({bytes, size}, counts));
  const Trace trace(fuzz::folder());
  verify(trace);
  summarize(trace);
  fuzz::read_or_refuse([&] { measure(trace); });
  fuzz::read_or_refuse([&] { diff(RecordedPrograms(trace), RecordedPrograms(trace)); });
  fuzz::read_or_refuse([&] { schedule_of(trace); });
  return 0;
}
