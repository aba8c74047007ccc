// SPDX-License-Identifier: MIT
#include "traces/undisturbed_work.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using namespace finegrain;

TEST_CASE(
    "undisturbed work: what comes and goes on one rank is left out, what lasts or is on all ranks is not") {
  // The example of the header.
  UndisturbedWork work;
  CHECK(work.add_rank(std::vector<float>{4, 4, 90, 4}, 4) == std::vector<float>{4});
  CHECK(work.add_rank(std::vector<float>{4, 4, 8, 4}, 4) == std::vector<float>{4});
  CHECK(work.add_rank(std::vector<float>{6, 6, 12, 6}, 4) == std::vector<float>{6});
  CHECK(work.factor() == Approx((1 + 1 + 2 + 1) / 4.));
}

TEST_CASE("undisturbed work: an iteration counts as many times as it stands for") {
  UndisturbedWork work({1, 10, 10, 10, 10});
  work.add_rank(std::vector<float>{100, 1, 1, 1, 1}, 5);
  work.add_rank(std::vector<float>{100, 1, 1, 1, 1}, 5);
  CHECK(work.factor() == Approx((100 + 40) / 41.));

  const auto moves = [](std::vector<float> stand_for) {
    UndisturbedWork on_one_rank(std::move(stand_for));
    for (const float first_s : {1.F, 100.F, 1.F})
      on_one_rank.add_rank(std::vector<float>{first_s, 1, 1, 1, 1}, 5);
    return on_one_rank.moves();
  };
  CHECK(moves({3, 10, 10, 9, 9}));  // 3 of 41 are heavy on one rank alone
  CHECK_FALSE(moves({2, 10, 10, 10, 9}));
}

TEST_CASE("undisturbed work: each piece of an iteration has its own usual time") {
  UndisturbedWork work;
  CHECK(work.add_rank(std::vector<float>{1, 10, 2, 20, 3, 30, 4, 40}, 4) == std::vector<float>{2.5, 25});
}

TEST_CASE("undisturbed work: a rank without work has none, and does not count") {
  UndisturbedWork work;
  CHECK(work.add_rank(std::vector<float>{}, 2).empty());
  CHECK(work.factor() == 1);
  CHECK(work.add_rank(std::vector<float>{0, 0}, 2) == std::vector<float>{0});
  CHECK(work.factor() == 1);
}

TEST_CASE("undisturbed work: the middle half of one, two or three values is all of them") {
  CHECK(interquartile_mean({7}) == 7);
  CHECK(interquartile_mean({7, 9}) == 8);
  CHECK(interquartile_mean({9, 7, 2}) == 6);
}
