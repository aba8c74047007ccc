// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

/// Ranks 0 and 1 own the elements {0 1 2} and {3 4 5}: rank 0 needs 3, 4 and 5, rank 1 needs 0 and 2.
const test::MatrixPattern six_rows{6, 3, {3, 3, 1, 4, 3, 5, 0, 1, 2, 3, 4, 5, 0, 4, 4, 0, 0, 2}};

Run run_of(Transfer transfer, Completion completion, const char* copy) {
  return {.problem = SpmvProblem{"", "", six_rows.rows, six_rows.r_nz, 3},
          .policy = "condensed",
          .policy_settings = {{"copy", std::string(copy)}},
          .transfer = transfer,
          .completion = completion,
          .ranks = 2,
          .ranks_per_node = 2};
}

std::vector<Run> runs_of(const char* copy) {
  std::vector<Run> runs;
  for (const Variant& variant : policy::policy("condensed").variants(pattern_kind("spmv")))
    runs.push_back(run_of(variant.transfer, variant.completion, copy));
  return runs;
}

}  // namespace

TEST_CASE("condensed, compact: the phases of a full copy but the copy, and 12 bytes a value unpacked") {
  const std::vector<Run> full = runs_of("full");
  const std::vector<Run> compact = runs_of("compact");
  REQUIRE(full.size() > 3);
  for (std::size_t i = 0; i < full.size(); ++i) {
    CAPTURE(describe(full[i]));
    std::vector<Body> expected;
    const std::int64_t values[] = {3, 2};
    for (const Body& body : spmv_schedule(six_rows.view(), full[i]).ranks) {
      Body& without = expected.emplace_back();
      for (const Region& region : body.regions) {
        if (region.name == regions::copy) continue;
        without.begin_region(region.name);
        for (const Operation& operation : body.operations_of(region))
          without.add(region.name == regions::unpack ? Work{values[expected.size() - 1] * (8 + 4)}
                                                     : operation);
      }
    }
    CHECK(spmv_schedule(six_rows.view(), compact[i]).ranks == expected);
  }
}

TEST_CASE("condensed, compact: the closed form has no copy, and no cache line where it unpacks") {
  platform::PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 200;  // 100 B/s for each of two ranks
  costs.memory_bandwidth_per_core_bytes_per_s = 150;
  for (const Run& full : runs_of("full")) {
    const Run compact = run_of(full.transfer, full.completion, "compact");
    const std::vector<RankCounts> counts = count_accesses(six_rows.view(), layout_of(full));
    // Rank 0 is the slowest with either: 3 rows, and 3 values to unpack.
    CHECK(predict(full, counts, costs)->total_s - predict(compact, counts, costs)->total_s ==
          Approx((3 * 16 + 3 * 64) / 100.));
  }
}

TEST_CASE("condensed: a full copy is no setting of a run, a compact one is") {
  CHECK(settings_of(run_of(Transfer::two_sided, Completion::together, "full")).empty());
  const Settings compact{{"copy", std::string("compact")}};
  CHECK(settings_of(run_of(Transfer::two_sided, Completion::together, "compact")) == compact);
}

TEST_CASE("condensed, compact: a pattern without a copy refuses it") {
  const auto heat = pattern_kind("heat").open("12x12", "--heat");
  Run run = run_of(Transfer::two_sided, Completion::together, "compact");
  run.problem = heat->problem(2, {});
  CHECK_THROWS_AS(make_schedule(*heat, run), InputError);
  run.policy_settings.clear();
  CHECK_NOTHROW(make_schedule(*heat, run));
}
