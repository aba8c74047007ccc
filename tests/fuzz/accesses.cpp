// SPDX-License-Identifier: MIT
//
// An accesses file, and the programs that each policy makes of it.
#include <cstdint>

#include "sim/policy/policy.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  using namespace finegrain::pattern;
  using namespace finegrain::policy;
  const auto path = fuzz::write_input("a.csv", fuzz::as_text({bytes, size}));
  fuzz::read_or_refuse([&] {
    const PatternKind& kind = pattern_kind("accesses");
    const auto pattern = kind.open(path.string(), "--accesses");
    const int ranks = pattern->ranks({}).value_or(1);
    Run run{.problem = pattern->problem(ranks, {}), .policy = {}, .ranks = ranks};
    // Many ranks or points take memory that tells nothing of the reader.
    if (ranks * pattern->stages(run) > 10'000) return;
    for (const Variant& variant : variants(kind)) {
      run.policy = variant.policy;
      run.transfer = variant.transfer;
      run.completion = variant.completion;
      make_schedule(*pattern, run);
    }
  });
  return 0;
}
