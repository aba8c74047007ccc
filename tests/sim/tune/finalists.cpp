// SPDX-License-Identifier: MIT
#include "sim/tune/finalists.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;

namespace {

/// Points of two numbers of nodes (0 and 1), three programs and two BLOCKSIZEs.
struct Grid {
  std::vector<StudyPoint> points;

  Grid() {
    for (std::size_t program = 0; program < 3; ++program) {
      for (std::size_t nodes = 0; nodes < 2; ++nodes) {
        for (std::size_t block_size = 0; block_size < 2; ++block_size) {
          StudyPoint& point = points.emplace_back();
          point.number = static_cast<std::int64_t>(points.size()) - 1;
          point.positions[static_cast<std::size_t>(Axis::policy)] = program;
          point.positions[static_cast<std::size_t>(Axis::ranks)] = nodes;
          point.positions[static_cast<std::size_t>(Axis::block_size)] = block_size;
        }
      }
    }
  }
  std::vector<Candidate> with(const std::vector<double>& closed_form_s) const {
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < points.size(); ++i)
      candidates.push_back(
          {&points[i], {.total_s = closed_form_s[i], .phases_s = {}, .none_because = ""}, {}});
    return candidates;
  }
};

std::vector<std::int64_t> numbers(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> numbers;
  for (const Candidate& candidate : candidates)
    numbers.push_back(candidate.point->number);
  return numbers;
}

// Program 0: points 0 1 (node count 0), 2 3 (1); program 1: 4 5, 6 7; program 2: 8 9, 10 11.
const std::vector<double> closed_form_s{9, 8, 7, 6, 5, 5, 4, 3, 20, 21, 22, 23};

}  // namespace

TEST_CASE("finalists: first the least closed form of each size, of equals the first") {
  const Grid grid;
  CHECK(numbers(best_of_each_size(grid.with(closed_form_s), 10)) == std::vector<std::int64_t>{7, 4});
  CHECK(numbers(best_of_each_size(grid.with(closed_form_s), 1)) == std::vector<std::int64_t>{7});
}

TEST_CASE("finalists: then every program where that came out best, none twice") {
  const Grid grid;
  const std::vector<Candidate> screened = grid.with(closed_form_s);
  // Point 4 (the first number of nodes) was fastest when simulated. There program 0's best is 1, program
  // 2's 8.
  const std::vector<Candidate> simulated{screened[4], screened[7]};
  CHECK(numbers(best_of_each_program(screened, simulated, 10)) == std::vector<std::int64_t>{1, 8});
  CHECK(numbers(best_of_each_program(screened, simulated, 1)) == std::vector<std::int64_t>{1});
}

TEST_CASE("finalists: last the first's program with every other BLOCKSIZE") {
  const Grid grid;
  const std::vector<Candidate> screened = grid.with(closed_form_s);
  CHECK(numbers(best_of_each_block_size(screened, {screened[7]}, 10)) == std::vector<std::int64_t>{6});
  CHECK(best_of_each_block_size(screened, {screened[7], screened[6]}, 10).empty());
}

TEST_CASE("finalists: one placed otherwise is not simulated again") {
  Grid grid;
  const std::vector<Candidate> screened = grid.with(closed_form_s);
  StudyPoint elsewhere = grid.points[1];
  elsewhere.positions[static_cast<std::size_t>(Axis::placement)] = 2;
  const std::vector<Candidate> simulated{screened[4], {&elsewhere, {}, {}}};
  CHECK(numbers(best_of_each_program(screened, simulated, 1)) == std::vector<std::int64_t>{8});
}

TEST_CASE("finalists: those that could not be simulated come last") {
  const Grid grid;
  std::vector<Candidate> candidates = grid.with(closed_form_s);
  candidates.resize(3);
  candidates[1].simulated.total_s = 2;
  candidates[2].simulated.total_s = 1;
  rank(candidates);
  CHECK(numbers(candidates) == std::vector<std::int64_t>{2, 1, 0});
}
