// SPDX-License-Identifier: MIT
//
// The content of a chunk of calls, and what is made of a trace that consists of it: nonsense with right
// checksums.
#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/rank_file_of.hpp"
#include "tests/traces/recording.hpp"
#include "traces/call_decoder.hpp"
#include "traces/diff.hpp"
#include "traces/program_summary.hpp"
#include "traces/verify.hpp"

namespace finegrain::fuzz {
namespace {

constexpr int ranks = 9;

/// What can be decoded before the content ends, or is found to be wrong.
Counts count(std::span<const std::uint8_t> input) {
  Counts counts;
  try {
    const auto content = std::as_bytes(input);
    CallDecoder decoder(0, ranks, std::make_shared<Communicators>());
    decoder.open({content.begin(), content.end()});
    while (!decoder.exhausted()) {
      counts.posts += decoder.read();
      ++counts.iterations;
      Decoded decoded;
      while (decoder.next(decoded)) {
      }
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
    write_manifest(fuzz::folder(), test::manifest_of(fuzz::ranks, 1));
    return true;
  }();
  if (!has_manifest) return -1;
  const fuzz::Counts counts = fuzz::count({bytes, size});
  if (counts.iterations == 0) return 0;
  fuzz::write_input("rank_00000.fgt", fuzz::rank_file_of({bytes, size}, ChunkKind::calls, counts));
  const Trace trace(fuzz::folder());
  verify(trace);
  summarize_program(trace);
  fuzz::read_or_refuse([&] { diff(RecordedPrograms(trace), RecordedPrograms(trace)); });
  return 0;
}
