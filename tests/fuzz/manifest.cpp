// SPDX-License-Identifier: MIT
//
// A trace's manifest, as it is and with the checksum that it should have.
#include "traces/manifest.hpp"

#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/traces/recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  const std::string text(fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] { parse_manifest(text, "manifest.json"); });
  fuzz::read_or_refuse([&] { parse_manifest(test::with_right_checksum(text), "manifest.json"); });
  return 0;
}
