// SPDX-License-Identifier: MIT
//
// The content of a chunk, and what is made of a trace that consists of it: nonsense with right checksums.
#include "traces/chunk.hpp"

#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/rank_file_of.hpp"
#include "tests/traces/recording.hpp"
#include "traces/diff.hpp"
#include "traces/measurement.hpp"
#include "traces/summary.hpp"
#include "traces/verify.hpp"

namespace finegrain::fuzz {
namespace {

constexpr int ranks = 9;

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
  fuzz::write_input("rank_00000.fgt", fuzz::rank_file_of({bytes, size}, ChunkKind::iterations, counts));
  const Trace trace(fuzz::folder());
  verify(trace);
  summarize(trace);
  fuzz::read_or_refuse([&] { measure(trace); });
  fuzz::read_or_refuse([&] { diff(RecordedPrograms(trace), RecordedPrograms(trace)); });
  fuzz::read_or_refuse([&] { schedule_of(trace); });
  return 0;
}
