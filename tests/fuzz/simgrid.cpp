// SPDX-License-Identifier: MIT
//
// A platform file through SimGrid, in a process of its own as always: however SimGrid ends, one line says so.
#include <cstdint>

#include "sim/platform/platform.hpp"
#include "sim/replay/platform_summary.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::platform;
  using namespace finegrain::replay;
  const auto path = fuzz::write_input("s.xml", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] {
    read_platform(path, {"memory_bandwidth=1GBps", "memory_bandwidth_per_core=1GBps", "cache_line=64B"});
    summarize_platform(path);
  });
  return 0;
}
