// SPDX-License-Identifier: MIT
#include "traces/scaling/rules.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace finegrain::scaling;

namespace {

using Value = std::function<std::int64_t(int rank, int ranks)>;

/// What every rank of grids of 8 and 16 ranks has.
class Recorded {
 public:
  Recorded(int dimensions, const Value& value)
      : dimensions_(dimensions), grids_{ProcessGrid(8, dimensions), ProcessGrid(16, dimensions)} {
    for (const ProcessGrid& grid : grids_)
      for (int rank = 0; rank < grid.ranks(); ++rank)
        samples_.push_back({&grid, rank, value(rank, grid.ranks())});
  }
  Answer peer(int rank, int ranks) const { return peer_at(samples_, ProcessGrid(ranks, dimensions_), rank); }
  Answer size(int ranks) const { return size_at(samples_, ProcessGrid(ranks, dimensions_)); }

 private:
  int dimensions_;
  std::vector<ProcessGrid> grids_;
  std::vector<Sample> samples_;
};

}  // namespace

TEST_CASE("a grid has the sides of MPI_Dims_create, the longest first, and is numbered row by row") {
  CHECK(ProcessGrid(12, 2).sides() == std::vector{4, 3});
  CHECK(ProcessGrid(32, 3).sides() == std::vector{4, 4, 2});
  CHECK(ProcessGrid(12, 2).place_of(7) == std::vector{7 / 3, 7 % 3});
  CHECK(ProcessGrid(12, 2).neighbour(11, {1, 1}) == 0);  // the grid is closed
}

TEST_CASE("ranks as far from the same borders of a grid are at the same place of it") {
  const ProcessGrid five(5, 1);
  const ProcessGrid nine(9, 1);
  CHECK(five.border_of(0) == nine.border_of(0));
  CHECK(five.border_of(4) == nine.border_of(8));
  CHECK(five.border_of(1) == nine.border_of(5));                                  // inner ones
  CHECK(ProcessGrid(5, 1, 2).border_of(1) != ProcessGrid(9, 1, 2).border_of(5));  // one step from the end
  CHECK(ProcessGrid(5, 1, 2).border_of(2) == ProcessGrid(9, 1, 2).border_of(5));  // two steps
}

TEST_CASE("a peer that is a step away is that on every number of ranks") {
  const Recorded next(1, [](int rank, int ranks) { return (rank + 1) % ranks; });
  CHECK(next.peer(31, 64).value == 32);
  CHECK(next.peer(63, 64).value == 0);
  const Recorded below(2, [](int rank, int ranks) { return ProcessGrid(ranks, 2).neighbour(rank, {1, 0}); });
  CHECK(below.peer(3, 64).value == 3 + 8);  // 64 ranks are 8 x 8
}

TEST_CASE("a peer that is a fixed rank, the opposite one, or differs in a bit, is found") {
  CHECK(Recorded(1, [](int, int) { return 3; }).peer(50, 64).value == 3);
  CHECK(Recorded(1, [](int, int ranks) { return ranks - 2; }).peer(50, 64).value == 64 - 2);
  CHECK(Recorded(1, [](int rank, int ranks) { return ranks - 1 - rank; }).peer(50, 64).value == 64 - 1 - 50);
  CHECK(Recorded(1, [](int rank, int) { return rank ^ 4; }).peer(50, 64).value == (50 ^ 4));
  CHECK(Recorded(1, [](int rank, int ranks) { return rank ^ (ranks / 2); }).peer(50, 64).value == (50 ^ 32));
}

TEST_CASE("one rank with another peer than all others, and there is no rule") {
  const Recorded odd(1, [](int rank, int ranks) { return rank == 5 ? 0 : (rank + 1) % ranks; });
  CHECK(odd.peer(1, 64).outcome == Outcome::no_rule);
}

TEST_CASE("two rules that fit the samples and differ elsewhere are no answer") {
  // On 4 ranks alone, the rank two further on is also the one that differs in bit 1.
  const ProcessGrid four(4, 1);
  const std::vector<Sample> samples{{&four, 0, 2}};
  CHECK(peer_at(samples, ProcessGrid(64, 1), 1).outcome == Outcome::rules_disagree);
}

TEST_CASE("a size is constant, or follows the ranks or the sides of the grid") {
  CHECK(Recorded(1, [](int, int) { return 800; }).size(64).value == 800);
  CHECK(Recorded(1, [](int, int ranks) { return 6400 / ranks; }).size(64).value == 6400 / 64);
  CHECK(Recorded(1, [](int, int ranks) { return 10 * ranks; }).size(64).value == 10 * 64);
  const Recorded of_side(2, [](int, int ranks) { return 4800 / ProcessGrid(ranks, 2).sides()[1]; });
  CHECK(of_side.size(64).value == 4800 / 8);
  CHECK(Recorded(1, [](int, int ranks) { return ranks + 1; }).size(64).outcome == Outcome::no_rule);
}

TEST_CASE("a size that would be no whole number of bytes has no rule there") {
  CHECK(Recorded(1, [](int, int ranks) { return 1600 / ranks; }).size(128).outcome == Outcome::no_rule);
}
