// SPDX-License-Identifier: MIT
//
// A rank's file whose headers have the checksums that they should have: what the checksums alone would
// refuse, tests/traces/damage_test.cpp tries bit by bit.
#include "traces/rank_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/input_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace finegrain::fuzz {
namespace {

// docs/trace-format.md
constexpr std::size_t payload_size_at = 4;
constexpr std::size_t payload_checksum_at = 32;

std::string with_right_checksums(std::string file) {
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

}  // namespace
}  // namespace finegrain::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  const auto path = fuzz::write_input("rank_00000.fgt",
                                      fuzz::with_right_checksums(std::string(fuzz::as_text({bytes, size}))));
  fuzz::read_or_refuse([&] {
    RankFileReader reader(FileSlice(path), 0, 9);
    while (reader.next())
      continue;
  });
  return 0;
}
