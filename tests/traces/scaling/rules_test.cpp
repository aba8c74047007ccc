// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traces/scaling/number_rules.hpp"
#include "traces/scaling/peer_rules.hpp"
#include "traces/scaling/predicates.hpp"

using namespace finegrain::scaling;

namespace {

using ValueOf = std::function<std::int64_t(const Where&)>;

/// All ranks of several runs, and on each of them all steps of a loop.
class Runs {
 public:
  Runs(const std::vector<int>& runs, const GridShape& shape,
       const std::function<std::int64_t(int ranks)>& steps = {}) {
    for (const int ranks : runs) {
      const ProcessGrid& grid = grids_.emplace_back(ranks, shape);
      for (int rank = 0; rank < ranks; ++rank) {
        const RankPlace& place = places_.emplace_back(RankPlace{&grid, rank, grid.place_of(rank)});
        const Where where{.at = &place};
        const std::int64_t count = steps ? steps(ranks) : 1;
        for (std::int64_t step = 0; step < count; ++step)
          wheres_.push_back(steps ? where.in({step, count}) : where);
      }
    }
  }

  std::vector<Sample> samples(const ValueOf& value) const {
    std::vector<Sample> samples;
    for (const Where& where : wheres_)
      samples.push_back({&where, value(where)});
    return samples;
  }

  /// Whether the rules say what the value is at all places of this run.
  bool agrees(const std::vector<Rule>& rules, const ValueOf& value) const {
    for (const Where& where : wheres_) {
      const Answer found = answer(rules, where, true);
      if (found.disagree || found.value != value(where)) return false;
    }
    return true;
  }

 private:
  std::deque<ProcessGrid> grids_;
  std::deque<RankPlace> places_;
  std::deque<Where> wheres_;
};

const GridShape line{1};
const GridShape plane{2};

std::int64_t doublings(int ranks) {
  std::int64_t steps = 0;
  for (; 1 << steps < ranks; ++steps)
    ;
  return steps;
}

}  // namespace

TEST_CASE("a size that shrinks with the ranks needs two recordings, and with a constant more three") {
  const ValueOf part = [](const Where& where) { return 6400 / where.ranks(); };
  CHECK(Runs({32}, line).agrees(number_rules(Runs({4, 8}, line).samples(part)), part));
  const ValueOf with_border = [](const Where& where) { return 6400 / where.ranks() + 16; };
  CHECK(number_rules(Runs({4, 8}, line).samples(with_border)).empty());
  CHECK(Runs({32}, line).agrees(number_rules(Runs({4, 8, 16}, line).samples(with_border)), with_border));
}

TEST_CASE("a size that halves from step to step, of steps that grow with the ranks") {
  const ValueOf halved = [](const Where& where) { return 4096 >> where.loops[0].step; };
  const std::vector<Rule> rules = number_rules(Runs({4, 8, 16}, line, doublings).samples(halved));
  CHECK(Runs({64}, line, doublings).agrees(rules, halved));
}

TEST_CASE("a size whose constant and slope depend on the ranks: panels that get shorter") {
  // 384 rows in blocks: (384 - step width) width, with width = 384 / ranks.
  const ValueOf panel = [](const Where& where) {
    const std::int64_t width = 384 / where.ranks();
    return (384 - where.loops[0].step * width) * width;
  };
  const auto all = [](int ranks) { return std::int64_t{ranks}; };
  CHECK(Runs({32}, line, all).agrees(number_rules(Runs({4, 8, 16}, line, all).samples(panel)), panel));
}

TEST_CASE("elements that are left over: to the first ranks, to the last one, or spread evenly") {
  const auto check = [](const ValueOf& share) {
    const std::vector<Rule> rules = number_rules(Runs({6, 12, 24}, line).samples(share));
    CHECK_FALSE(rules.empty());
    CHECK(Runs({48}, line).agrees(rules, share));
  };
  check([](const Where& where) {
    return 1000 / where.ranks() + (where.rank() < 1000 % where.ranks() ? 1 : 0);
  });
  check([](const Where& where) {
    return 1000 / where.ranks() + (where.rank() == where.ranks() - 1 ? 1000 % where.ranks() : 0);
  });
  check([](const Where& where) {
    return (where.rank() + 1) * 1000 / where.ranks() - where.rank() * 1000 / where.ranks();
  });
}

TEST_CASE(
    "a constant number of steps that is also a side of the grid is not known, if no recording has another") {
  // 8 and 16 ranks are 4 x 2 and 4 x 4.
  const std::vector<Rule> rules = count_rules(Runs({8, 16}, plane).samples([](const Where&) { return 4; }));
  const ProcessGrid grid(32, plane);  // 8 x 4
  const RankPlace place{&grid, 0, {0, 0}};
  CHECK(answer(rules, {.at = &place}, false).disagree);
}

TEST_CASE("partners of a butterfly, of a rotation, and of a transposed grid") {
  const auto check = [](const GridShape& shape, const std::vector<int>& runs, int target,
                        const std::function<std::int64_t(int)>& steps, const ValueOf& other) {
    CHECK(Runs({target}, shape, steps).agrees(peer_rules(Runs(runs, shape, steps).samples(other)), other));
  };
  check(line, {4, 8, 16}, 64, doublings,
        [](const Where& where) { return where.rank() ^ (1 << where.loops[0].step); });
  check(
      line, {4, 8, 16}, 64, [](int ranks) { return std::int64_t{ranks - 1}; },
      [](const Where& where) { return (where.rank() + where.loops[0].step + 1) % where.ranks(); });
  check(plane, {4, 9, 16}, 36, {}, [](const Where& where) {
    return where.grid().rank_at({where.at->place[1], where.at->place[0]});
  });
}

TEST_CASE("the next one in a grid, not the rank that differs in a bit, where both fit") {
  // 4 x 2 and 4 x 4 ranks; those in the last row have nobody below.
  const Runs recorded({8, 16}, plane);
  std::vector<Sample> samples =
      recorded.samples([](const Where& where) { return where.rank() + where.grid().sides()[1]; });
  std::erase_if(samples, [](const Sample& sample) { return sample.value >= sample.where->ranks(); });
  const std::vector<Rule> rules = peer_rules(samples);
  const ProcessGrid grid(32, plane);
  const RankPlace place{&grid, 5, grid.place_of(5)};
  CHECK(answer(rules, {.at = &place}, true).value == 5 + 4);
  CHECK_FALSE(answer(rules, {.at = &place}, true).disagree);
}

TEST_CASE("who does something: ends, every second one, corners, and the senders of a binomial tree") {
  const auto check = [](const GridShape& shape, const std::vector<int>& runs, int target,
                        const std::function<std::int64_t(int)>& steps, const ValueOf& happens) {
    const std::vector<Predicate> predicates = predicates_of(Runs(runs, shape, steps).samples(happens));
    REQUIRE_FALSE(predicates.empty());
    const std::vector<Rule> as_rule{
        {[&](const Where& where) { return std::optional<std::int64_t>(predicates.front().holds(where)); },
         ""}};
    CHECK(Runs({target}, shape, steps).agrees(as_rule, happens));
  };
  check(line, {4, 8}, 32, {}, [](const Where& where) { return where.rank() < where.ranks() - 1; });
  check(line, {4, 8}, 32, {}, [](const Where& where) { return where.rank() % 2 == 0; });
  check(plane, {16, 32}, 64, {}, [](const Where& where) {
    return where.at->place[0] > 0 && where.at->place[1] < where.grid().sides()[1] - 1;
  });
  check(line, {4, 8, 16}, 64, doublings, [](const Where& where) {
    return where.rank() % (2 << where.loops[0].step) == 1 << where.loops[0].step;
  });
}

TEST_CASE("what has no rule has none: a size that depends on the rank in no order") {
  CHECK(number_rules(Runs({4, 8, 16}, line).samples([](const Where& where) {
          return 100 + (where.rank() * 7919 + where.ranks() * 104729) % 101;
        })).empty());
}

TEST_CASE("rows that one rank hands out: 62 over 3, 7 or 15 others, of which the first have one more") {
  const auto workers = [](int ranks) { return std::int64_t{ranks} - 1; };
  const ValueOf rows = [](const Where& where) {
    const StepOf& at = where.loops[0];
    return 120 * (62 / at.steps + (at.step < 62 % at.steps ? 1 : 0));
  };
  const std::vector<Rule> rules = number_rules(Runs({4, 8, 16}, line, workers).samples(rows));
  CHECK(Runs({32}, line, workers).agrees(rules, rows));
}

TEST_CASE("a halo with corners: 96 / side values and 2 more, on sides of 2, 2 and 4 ranks") {
  const ValueOf halo = [](const Where& where) {
    return std::int64_t{8} * (96 / where.grid().sides()[1] + 2);
  };
  CHECK(Runs({32, 64}, plane).agrees(number_rules(Runs({4, 8, 16}, plane).samples(halo)), halo));
  CHECK(number_rules(Runs({8, 16}, plane).samples(halo)).empty());
}

TEST_CASE("a halo of 33 points, of which the first ranks of a side have one more, and 2 around them") {
  const ValueOf halo = [](const Where& where) {
    const int side = where.grid().sides()[1];
    return std::int64_t{16} * (33 / side + (where.at->place[1] < 33 % side ? 1 : 0) + 2);
  };
  CHECK(Runs({64}, plane).agrees(number_rules(Runs({4, 8, 16}, plane).samples(halo)), halo));
}

TEST_CASE("what is put together in a tree grows with the lowest bit: rank 4 of 16 sends 4 x 4096 / 16 B") {
  const ValueOf merged = [](const Where& where) {
    return 4096 / where.ranks() * (where.rank() == 0 ? where.ranks() : where.rank() & -where.rank());
  };
  CHECK(Runs({32}, line).agrees(number_rules(Runs({4, 8, 16}, line).samples(merged)), merged));
}

TEST_CASE("a transposed block on 2 x 4 ranks: rank 3 at (0, 3) is that of rank 5 at (1, 1)") {
  const GridShape rows_first{2, true};
  const ValueOf transposed = [](const Where& where) {
    const int rows = where.grid().sides()[0];
    const int more = where.grid().sides()[1] / rows;
    const int row = where.at->place[0];
    const int column = where.at->place[1];
    return std::int64_t{column / more * rows * more + more * row + column % more};
  };
  const ProcessGrid on_8(8, rows_first);
  const RankPlace place{&on_8, 3, on_8.place_of(3)};
  CHECK(transposed(Where{.at = &place}) == 5);
  CHECK(Runs({32}, rows_first)
            .agrees(peer_rules(Runs({4, 8, 16}, rows_first).samples(transposed)), transposed));
}

TEST_CASE("ranks 1, 3 and 6 of any number of ranks are a list in the program, if three recordings say so") {
  const ValueOf listed = [](const Where& where) {
    return std::int64_t{where.rank() == 1 || where.rank() == 3 || where.rank() == 6};
  };
  const std::vector<Predicate> predicates = predicates_of(Runs({8, 16, 24}, line).samples(listed));
  REQUIRE(predicates.size() == 1);
  const Runs on_64({64}, line);
  for (const Sample& sample : on_64.samples(listed))
    CHECK(predicates.front().holds(*sample.where) == (sample.value != 0));
  CHECK(predicates_of(Runs({8, 16}, line).samples(listed)).empty());
}

TEST_CASE("a part of a side of 2, 4 and 4 ranks is no part of their logarithm 1, 2 and 2") {
  const GridShape rows_first{2, true};
  const ValueOf part = [](const Where& where) { return std::int64_t{5600} / where.grid().sides()[1]; };
  // 4 x 8 ranks: 700 B, and not 5600 / 2 / 3.
  CHECK(Runs({32}, rows_first).agrees(number_rules(Runs({4, 8, 16}, rows_first).samples(part)), part));
}
