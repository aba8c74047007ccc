// SPDX-License-Identifier: MIT
//
// Schedules in GOAL's text form.
#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "traces/formats/format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  const auto path = fuzz::write_input("schedule.goal", fuzz::as_text({bytes, size}));
  const auto trace = fuzz::folder() / "imported";
  std::filesystem::remove_all(trace);
  fuzz::read_or_refuse([&] { formats::import_goal(path, trace); });
  return 0;
}
