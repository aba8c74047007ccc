// SPDX-License-Identifier: MIT
//
// What finegrain reads in a platform file.
#include "sim/platform/platform.hpp"

#include <cstdint>

#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::platform;
  const auto path = fuzz::write_input("p.xml", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] { read_platform(path, {"tau=1us"}); });
  return 0;
}
