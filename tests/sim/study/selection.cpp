// SPDX-License-Identifier: MIT
#include "sim/study/selection.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/study/small_study.hpp"

using namespace finegrain;
using namespace finegrain::study;
using Numbers = std::vector<std::int64_t>;

namespace {

/// Points chosen of 4 numbers of ranks (outer) x 3 BLOCKSIZEs, with closed forms as given.
Numbers chosen(const std::string& simulate, const std::vector<std::optional<double>>& closed_form_s) {
  const test::SmallStudy small;
  const StudyFile study = small.read("version = 1\n" + simulate + R"(
[axes]
platform = "four.xml"
matrix = "m.fgm"
ranks = [1, 2, 3, 5]
ranks_per_node = 1
blocksize = [10, 20, 30]
)");
  const std::vector<StudyPoint> points = points_of(study, open_inputs(study));
  Numbers numbers;
  for (const StudyPoint* point : points_to_simulate(study, points, closed_form_s))
    numbers.push_back(point->number);
  return numbers;
}

// The last three are of 5 ranks on 4 nodes: infeasible.
const std::vector<std::optional<double>> closed_form_s{6, 5, 5, 3, 1, 2, 2, 9, std::nullopt, {}, {}, {}};

}  // namespace

TEST_CASE("all are all that can run") {
  CHECK(chosen("simulate = \"all\"", closed_form_s) == Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(chosen("simulate = \"none\"", closed_form_s).empty());
}

TEST_CASE("the best are those with the least closed form, the first of equals, and the corners of the grid") {
  // Corners that can run: 1 rank with BLOCKSIZE 10 and 30, points 0 and 2.
  CHECK(chosen("simulate = \"best 1\"", closed_form_s) == Numbers{0, 2, 4});
  CHECK(chosen("simulate = \"best 2\"", closed_form_s) == Numbers{0, 2, 4, 5});
}

TEST_CASE("the best of each value of an axis") {
  // The best of each number of ranks: points 1 (5 s), 4 (1 s), 6 (2 s).
  CHECK(chosen("simulate = \"best 1\"\nbest_of_each = \"ranks\"", closed_form_s) == Numbers{0, 1, 2, 4, 6});
}
