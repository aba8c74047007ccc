// SPDX-License-Identifier: MIT
#include "traces/scaling/rules.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace finegrain::scaling;

namespace {

using Value = std::function<std::int64_t(int rank, int ranks)>;

/// What every rank of grids has, of 8 and 16 ranks if no others are given.
class Recorded {
 public:
  Recorded(int dimensions, const Value& value, const std::vector<int>& recorded = {8, 16})
      : dimensions_(dimensions) {
    for (const int ranks : recorded)
      grids_.emplace_back(ranks, dimensions);
    for (const ProcessGrid& grid : grids_)
      for (int rank = 0; rank < grid.ranks(); ++rank)
        samples_.push_back({{&grid, rank}, value(rank, grid.ranks())});
  }
  Answer peer(int rank, int ranks) const {
    const ProcessGrid grid(ranks, dimensions_);
    return answer(peer_rules(samples_), {&grid, rank});
  }
  Answer size(int ranks) const {
    const ProcessGrid grid(ranks, dimensions_);
    return answer_of_all(size_rules(samples_), {&grid, 0});
  }

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
  const ProcessGrid many(64, 1);
  const std::vector<Sample> samples{{{&four, 0}, 2}};
  CHECK(answer(peer_rules(samples), {&many, 1}).outcome == Outcome::rules_disagree);
}

namespace {

using StepValue = std::function<std::int64_t(int rank, int ranks, std::int64_t step)>;
using FindRules = std::vector<Rule> (*)(std::span<const Sample>);

std::int64_t logarithm(int ranks) {
  return std::countr_zero(static_cast<unsigned>(ranks));
}

/// What `find`'s rules say, from loops of log2(ranks) steps on 4, 8 and 16 ranks.
Answer in_step(FindRules find, const StepValue& value, int rank, int ranks, std::int64_t step) {
  const ProcessGrid grids[] = {ProcessGrid(4, 1), ProcessGrid(8, 1), ProcessGrid(16, 1)};
  std::vector<Sample> samples;
  for (const ProcessGrid& grid : grids)
    for (int own = 0; own < grid.ranks(); ++own)
      for (std::int64_t s = 0; s < logarithm(grid.ranks()); ++s)
        samples.push_back({{&grid, own, s, logarithm(grid.ranks())}, value(own, grid.ranks(), s)});
  const ProcessGrid target(ranks, 1);
  return answer(find(samples), {&target, rank, step, logarithm(ranks)});
}

}  // namespace

TEST_CASE("in the steps of a loop, a peer is farther and farther away") {
  const auto doubling = [](int rank, int ranks, std::int64_t s) { return (rank + (1 << s)) % ranks; };
  CHECK(in_step(peer_rules, doubling, 7, 64, 5).value == 7 + 32);
  const auto halving = [](int rank, int ranks, std::int64_t s) {
    return (rank + (ranks >> (s + 1))) % ranks;
  };
  CHECK(in_step(peer_rules, halving, 7, 64, 1).value == 7 + 16);
  const auto linear = [](int rank, int ranks, std::int64_t s) { return (rank + s + 1) % ranks; };
  CHECK(in_step(peer_rules, linear, 7, 64, 5).value == 7 + 6);
  const auto bits = [](int rank, int, std::int64_t s) { return rank ^ (1 << s); };
  CHECK(in_step(peer_rules, bits, 7, 64, 5).value == (7 ^ 32));
}

TEST_CASE("in the steps of a loop, all other ranks are named in turn") {
  const auto others = [](int rank, int, std::int64_t s) { return s + (s >= rank ? 1 : 0); };
  CHECK(in_step(peer_rules, others, 3, 64, 2).value == 2);
  CHECK(in_step(peer_rules, others, 3, 64, 3).value == 4);
  const auto from_first = [](int, int, std::int64_t s) { return s + 1; };
  CHECK(in_step(peer_rules, from_first, 0, 64, 5).value == 6);
  const auto from_last = [](int, int ranks, std::int64_t s) { return ranks - 1 - s; };
  CHECK(in_step(peer_rules, from_last, 0, 64, 5).value == 58);
}

TEST_CASE("in the steps of a loop, sizes double or halve, and tags count them") {
  const auto size = [](const StepValue& value, std::int64_t step) {
    return in_step(size_rules, value, 0, 64, step);
  };
  CHECK(size([](int, int, std::int64_t s) { return 1024 >> s; }, 5).value == 32);
  CHECK(size([](int, int, std::int64_t s) { return 8 << s; }, 5).value == 256);
  CHECK(size([](int, int, std::int64_t s) { return 4096 >> (2 * s); }, 5).value == 4);
  CHECK(size([](int, int ranks, std::int64_t s) { return (8 << s) * ranks; }, 1).value == 1024);
  CHECK(size([](int, int, std::int64_t s) { return 8 + s; }, 1).outcome == Outcome::no_rule);
  CHECK(in_step(
            tag_rules, [](int, int, std::int64_t s) { return 7 + s; }, 0, 64, 5)
            .value == 12);
  CHECK(in_step(
            tag_rules, [](int, int, std::int64_t s) { return s * s; }, 0, 64, 5)
            .outcome == Outcome::no_rule);
}

TEST_CASE("steps are linear in the ranks or in their logarithm, and two recordings do not tell which") {
  const ProcessGrid grids[] = {ProcessGrid(4, 1), ProcessGrid(8, 1), ProcessGrid(16, 1)};
  const ProcessGrid target(64, 1);
  const auto steps = [&](const std::vector<std::int64_t>& counts) {
    std::vector<Sample> samples;
    for (std::size_t g = 0; g < counts.size(); ++g)
      samples.push_back({{&grids[g], 0}, counts[g]});
    return answer_of_all(count_rules(samples), {&target, 0});
  };
  CHECK(steps({2, 3, 4}).value == 6);
  CHECK(steps({3, 7, 15}).value == 63);
  CHECK(steps({5, 5, 5}).value == 5);
  CHECK(steps({2, 3, 5}).value == 64 / 4 + 1);
  CHECK(steps({2, 3, 7}).outcome == Outcome::no_rule);
  CHECK(steps({2, 3}).outcome == Outcome::rules_disagree);
}

TEST_CASE("a size is constant, or follows the ranks or the sides of the grid") {
  CHECK(Recorded(1, [](int, int) { return 800; }).size(64).value == 800);
  CHECK(Recorded(1, [](int, int ranks) { return 6400 / ranks; }).size(64).value == 6400 / 64);
  CHECK(Recorded(1, [](int, int ranks) { return 10 * ranks; }).size(64).value == 10 * 64);
  const Value of_side = [](int, int ranks) { return 4800 / ProcessGrid(ranks, 2).sides()[1]; };
  CHECK(Recorded(2, of_side, {8, 16, 32}).size(64).value == 4800 / 8);
  CHECK(Recorded(2, of_side).size(64).outcome == Outcome::rules_disagree);  // or it follows the ranks
  CHECK(Recorded(1, [](int, int ranks) { return ranks + 1; }).size(64).outcome == Outcome::no_rule);
}

TEST_CASE("a rule that gives no whole number disagrees with one that does") {
  // An alltoall of 4096 values shared among the ranks: 4096 / 10 is not whole. In three dimensions, the
  // shortest side of the grid has the same lengths on 4 and 8 ranks, and is 1 on 10.
  const Recorded alltoall(3, [](int, int ranks) { return 4096 / ranks * 8; }, {4, 8});
  CHECK(alltoall.size(10).outcome == Outcome::rules_disagree);
  CHECK(Recorded(1, [](int, int ranks) { return 4096 / ranks * 8; }, {4, 8}).size(10).outcome ==
        Outcome::no_rule);
}

TEST_CASE("a size that would be no whole number of bytes has no rule there") {
  CHECK(Recorded(1, [](int, int ranks) { return 1600 / ranks; }).size(128).outcome == Outcome::no_rule);
}
