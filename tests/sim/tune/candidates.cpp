// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/policy/policy.hpp"
#include "tests/sim/study/small_study.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::policy;
using namespace finegrain::study;
using namespace finegrain::tune;
using Catch::Matchers::Contains;

namespace {

struct Ways {
  StudyFile study;
  StudyInputs inputs;
  std::vector<StudyPoint> points;
  std::vector<Candidate> ways;

  explicit Ways(const TuneQuestion& question)
      : study(candidates(question)),
        inputs(open_inputs(study)),
        points(points_of(study, inputs)),
        ways(ways_to_run(question, study, inputs, points)) {}
};

TuneQuestion question(const test::SmallStudy& small) {
  return {.matrices = {small / "m.fgm"}, .platforms = {small / "four.xml"}, .nodes = {1, 2}};
}

}  // namespace

TEST_CASE("candidates: BLOCKSIZEs that leave ranks without rows, and placements of one node, are not tried") {
  const test::SmallStudy small;
  const Ways all(question(small));
  // four.xml has one core a host. 1,000 rows: on one node auto, 256 and 512; on two auto and 256, placed in
  // three ways. All programs that have equations, but those that count on their own, naive, and the
  // preparation.
  // Each with all settings that its policy lets a study vary: those with condensed messages with two copies.
  std::int64_t programs = 0;
  for (const Variant& variant : variants(tuned_pattern())) {
    const policy::Policy& known = policy::policy(variant.policy);
    if (known.has_formula() && !known.has_own_counts() && variant.policy != "naive" &&
        variant.policy != "preparation")
      programs += variant.policy == "condensed" ? 2 : 1;
  }
  CHECK(all.study.ranks_per_node == std::vector<std::optional<int>>{1});
  CHECK(all.ways.size() == static_cast<std::size_t>(programs) * (3 + 2 * 3));
}

TEST_CASE("candidates: programs, BLOCKSIZEs and placements are those asked for") {
  const test::SmallStudy small;
  TuneQuestion few = question(small);
  few.variants = {{"condensed", Transfer::two_sided, Completion::together}};
  few.axes = {{"copy", {Value("compact")}}};
  few.block_sizes = {100, 200};
  few.placements = {PlacementRule::cyclic};
  few.nodes = {2, 2, 4};
  const Ways some(few);
  CHECK(some.ways.size() == 2 * 2);
  for (const Candidate& way : some.ways)
    CHECK(way.point->placement == PlacementRule::cyclic);
}

TEST_CASE("candidates: what is set holds for all") {
  const test::SmallStudy small;
  TuneQuestion with = question(small);
  with.set = {{"tau", "7us"}, {"link_bandwidth", "x2"}};
  const Ways changed(with);
  REQUIRE(changed.inputs.platforms.size() == 1);
  CHECK(changed.inputs.platforms.front().platform.costs.tau() == Approx(7e-6));
  CHECK(changed.inputs.platforms.front().links.bandwidth == 2);
  with.set = {{"mass", "7us"}};
  CHECK_THROWS_WITH(Ways(with), Contains("--set: mass is no number of a platform"));
}

TEST_CASE("candidates: without numbers of nodes, powers of two up to 16, or up to all that there are") {
  const TuneQuestion any{.matrices = {}, .platforms = {}, .nodes = {}};
  CHECK(first_nodes(any, 128) == std::vector<std::int64_t>{1, 2, 4, 8, 16});
  CHECK(first_nodes(any, 6) == std::vector<std::int64_t>{1, 2, 4, 6});
  CHECK(first_nodes(any, 1) == std::vector<std::int64_t>{1});
  const TuneQuestion given{.matrices = {}, .platforms = {}, .nodes = {3, 3, 5}};
  CHECK(first_nodes(given, 4) == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("candidates: each platform has its own ranks a node and its own nodes") {
  const test::SmallStudy small;
  TuneQuestion both = question(small);
  both.nodes = {};
  both.variants = {{"individual", Transfer::get, Completion::each}};
  both.block_sizes = {std::nullopt};
  both.placements = {PlacementRule::block};
  both.platforms = {small / "four.xml"};
  const std::size_t alone = Ways(both).ways.size();
  CHECK(alone == 3);  // 1, 2 and 4 nodes of one core
  both.platforms = {small / "two_cores.xml"};
  const std::size_t of_two_cores = Ways(both).ways.size();
  both.platforms = {small / "four.xml", small / "two_cores.xml"};
  CHECK(Ways(both).ways.size() == alone + of_two_cores);
}
