// SPDX-License-Identifier: MIT
#include "sim/validation/block_size_sweep.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::validation;

namespace {

/// Figures with which all four claims hold.
std::vector<SweptRun> as_the_thesis_says() {
  const auto run = [](int ranks, std::int64_t block_size, double gflops) {
    return SweptRun{.ranks = ranks, .block_size = block_size, .simulated_gflops = gflops};
  };
  return {run(64, 1024, 25), run(64, 8192, 30), run(64, 65536, 28), run(128, 65536, 51), run(128, 524288, 9)};
}

}  // namespace

TEST_CASE("sweep: the four claims hold of what the thesis says, and each fails of its opposite") {
  const std::vector<SweptRun> said = as_the_thesis_says();
  REQUIRE(sweep_claims().size() == 4);
  for (const SweepClaim& claim : sweep_claims()) {
    CHECK(holds(claim, said, &SweptRun::simulated_gflops));
    std::vector<SweptRun> other = said;
    for (SweptRun& run : other)
      if (run.ranks == claim.ranks && run.block_size == claim.block_size)
        run.simulated_gflops = claim.is_more ? 1 : 100;
    CHECK_FALSE(holds(claim, other, &SweptRun::simulated_gflops));
  }
}

TEST_CASE("sweep: what is not more than 50 GFLOPS fails") {
  std::vector<SweptRun> runs = as_the_thesis_says();
  for (SweptRun& run : runs)
    if (run.ranks == 128 && run.block_size == 65536) run.simulated_gflops = 50;
  CHECK_FALSE(holds(sweep_claims().front(), runs, &SweptRun::simulated_gflops));
}

TEST_CASE("sweep: ranks without a block are those that the blocks do not reach") {
  CHECK(SweptRun{.ranks = 128, .blocks = 13}.idle_ranks() == 128 - 13);
  CHECK(SweptRun{.ranks = 64, .blocks = 104}.idle_ranks() == 0);
}
