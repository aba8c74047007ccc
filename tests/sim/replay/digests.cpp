// SPDX-License-Identifier: MIT
// The digits of results are the same in every build: optimized, debug, with sanitizers.
#include <fmt/format.h>
#include <xxhash.h>
#include <catch2/catch.hpp>

#include <iterator>
#include <string>

#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "small_programs.hpp"

using namespace finegrain;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::replay;

namespace {

/// The digest of all digits of what was simulated and computed.
std::string digest(const ReplayResult& simulated, const Prediction& closed_form) {
  std::string text = fmt::format("{:a}", closed_form.total_s);
  for (const RankReplay& rank : simulated.ranks) {
    fmt::format_to(std::back_inserter(text), " {:a}", rank.finish_s);
    for (const double phase_s : rank.phases_s)
      fmt::format_to(std::back_inserter(text), " {:a}", phase_s);
  }
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string digest_of(const Run& run) {
  SmallPlatform platform(fat_tree);
  charge_messages(platform);
  if (run.problem.pattern == "heat") {
    return digest(replay::replay(heat_schedule(run), *platform), *predict(run, {}, platform.costs()));
  }
  const test::MatrixPattern matrix = small_matrix();
  const auto counts = count_accesses(matrix.view(), layout_of(run));
  return digest(replay::replay(spmv_schedule(matrix.view(), run), *platform),
                *predict(run, counts, platform.costs()));
}

}  // namespace

TEST_CASE("digests: simulated and computed times of SpMV have the same digits in every build") {
  const std::vector<std::string> digests = {"14e187f676fe5779", "ba763351324ab84d", "53bd27aeaca18a7a",
                                            "09d8ea2b37c5e798", "5a7a18ccce7e112b", "98fde93a1aab92d1"};
  const std::vector<Run> runs = small_spmv_runs();
  REQUIRE(runs.size() == digests.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(describe(runs[i]));
    CHECK(digest_of(runs[i]) == digests[i]);
  }
}

TEST_CASE("digests: simulated and computed times of heat have the same digits in every build") {
  CHECK(digest_of(small_heat_run()) == "c58050c73d1a8e01");
}
