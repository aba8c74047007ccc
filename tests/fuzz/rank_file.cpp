// SPDX-License-Identifier: MIT
//
// A rank's file whose headers have the checksums that they should have: what the checksums alone would
// refuse, tests/traces/damage_test.cpp tries bit by bit.
#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/rank_file_checksums.hpp"
#include "traces/rank_file_reader.hpp"

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
