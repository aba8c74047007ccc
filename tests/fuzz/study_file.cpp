// SPDX-License-Identifier: MIT
//
// A study file (TOML).
#include "sim/study/study_file.hpp"

#include <cstdint>

#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::study;
  const auto path = fuzz::write_input("study.toml", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] { read_study_file(path); });
  return 0;
}
