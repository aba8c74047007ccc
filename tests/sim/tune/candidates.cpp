// SPDX-License-Identifier: MIT
#include "sim/tune/candidates.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/study/small_study.hpp"

using namespace finegrain;

TEST_CASE("candidates: a sibling differs on one axis") {
  const test::SmallStudy small;
  const StudyFile study = candidates({.matrix = small / "m.fgm",
                                      .platforms = {small / "four.xml"},
                                      .nodes = {1, 2, 2},
                                      .ranks_per_node = {}});
  CHECK(study.ranks.size() == 2);
  // four.xml has one core a host, and all five numbers, each times and through 1.2.
  CHECK(study.ranks_per_node == std::vector<std::optional<int>>{1});
  CHECK(study.changes.size() == 1 + 5 * 2);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  const StudyPoint& point = points[points.size() / 2 + 7];
  for (const std::size_t position : {0, 2}) {
    const StudyPoint& other = sibling(points, point, study, Axis::placement, position);
    auto positions = point.positions;
    positions[static_cast<std::size_t>(Axis::placement)] = position;
    CHECK(other.positions == positions);
  }
}
