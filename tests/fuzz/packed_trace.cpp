// SPDX-License-Identifier: MIT
//
// A packed trace: a tar of a manifest and rank files.
#include "traces/packed_trace.hpp"

#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "traces/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  const auto path = fuzz::write_input("t.tar", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] { verify(Trace(path)); });
  return 0;
}
