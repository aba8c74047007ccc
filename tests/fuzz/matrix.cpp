// SPDX-License-Identifier: MIT
//
// A matrix file whose header and J have the checksums that they should have: what the checksums alone would
// refuse, tests/kernels/problem/matrix_file.cpp tries byte by byte.
#include <xxhash.h>

#include <cstdint>
#include <cstring>

#include "kernels/problem/matrix_facts.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "tests/fuzz/input_file.hpp"

namespace finegrain::fuzz {
namespace {

// docs/matrix-file.md
constexpr std::size_t columns_section_at = 56;
constexpr std::size_t header_checksum_at = 360;
constexpr std::size_t header_bytes = 368;

std::string with_right_checksums(std::string file) {
  if (file.size() < header_bytes) return file;
  std::uint64_t columns[2];  // offset, size
  std::memcpy(columns, &file[columns_section_at], sizeof columns);
  const auto put = [&](std::size_t at, std::uint64_t value) { std::memcpy(&file[at], &value, sizeof value); };
  if (columns[0] <= file.size() && columns[1] <= file.size() - columns[0])
    put(columns_section_at + sizeof columns, XXH3_64bits(file.data() + columns[0], columns[1]));
  put(header_checksum_at, XXH3_64bits(file.data(), header_checksum_at));
  return file;
}

}  // namespace
}  // namespace finegrain::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::problem;
  const auto path =
      fuzz::write_input("m.fgm", fuzz::with_right_checksums(std::string(fuzz::as_text({bytes, size}))));
  fuzz::read_or_refuse([&] {
    const MatrixFile file(path);
    facts_of(file.view());
    file.verify_values();
  });
  return 0;
}
