// SPDX-License-Identifier: MIT
#include "sim/tune/search.hpp"
#include "kernels/problem/spmv_problem.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

using namespace finegrain;
using namespace finegrain::policy;
using namespace finegrain::problem;
using namespace finegrain::study;
using namespace finegrain::tune;

namespace {

/// Programs on so many numbers of nodes, each with so many BLOCKSIZEs. What a simulation says of each is
/// given.
class Grid {
 public:
  Grid(std::vector<Variant> programs, std::size_t nodes, std::size_t block_sizes) {
    points_.reserve(programs.size() * nodes * block_sizes);
    for (std::size_t program = 0; program < programs.size(); ++program) {
      for (std::size_t node = 0; node < nodes; ++node) {
        for (std::size_t size = 0; size < block_sizes; ++size) {
          StudyPoint& point = points_.emplace_back();
          point.number = static_cast<std::int64_t>(points_.size()) - 1;
          point.positions[static_cast<std::size_t>(Axis::policy)] = program;
          point.positions[static_cast<std::size_t>(Axis::ranks)] = node;
          point.positions[static_cast<std::size_t>(Axis::settings)] = size;
          point.run = {.problem = SpmvProblem{"m", "", 1 << 20, 8, 256 * static_cast<std::int64_t>(1 + size)},
                       .policy = programs[program].policy,
                       .transfer = programs[program].transfer,
                       .completion = programs[program].completion,
                       .ranks = 4 << node,
                       .ranks_per_node = 4};
          candidates_.push_back({&point, {}, {}, {}, {}});
        }
      }
    }
  }

  /// @param few_s  what a few iterations say, some (if not given) as well, @param all_s  what all say; shape
  /// [candidates]
  SearchReport find(const std::vector<double>& closed_form_s, const std::vector<double>& few_s,
                    const std::vector<double>& all_s, std::size_t most_rounds = 1000,
                    std::size_t least_in_full = 1) {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      candidates_[i].closed_form.total_s = closed_form_s[i];
    return search(
        candidates_,
        [&](const std::vector<Candidate*>& round, Depth depth) {
          if (most_rounds == 0) return false;
          --most_rounds;
          for (Candidate* candidate : round) {
            const auto place = static_cast<std::size_t>(candidate->point->number);
            if (depth == Depth::few) {
              candidate->screened.total_s = few_s[place];
              candidate->messages_per_rank = messages_per_rank;
            } else if (depth == Depth::all) {
              candidate->simulated.total_s = all_s[place];
            } else if (fails_in_some == place) {
              candidate->longer.none_because = "killed";
            } else {
              candidate->longer.total_s = some_s.empty() ? few_s[place] : some_s[place];
            }
          }
          return true;
        },
        least_in_full);
  }

  void place(std::size_t number, graph::PlacementRule rule) { points_[number].placement = rule; }

  std::vector<double> some_s;  ///< what some iterations say; shape [candidates]
  std::optional<std::size_t> fails_in_some;
  double messages_per_rank = 2;

  std::size_t size() const { return candidates_.size(); }
  /// The fastest that was simulated in full.
  std::int64_t best() const {
    return std::ranges::min_element(
               candidates_, {},
               [](const Candidate& candidate) { return candidate.simulated.total_s.value_or(1e9); })
        ->point->number;
  }
  bool screened(std::size_t number) const { return candidates_[number].screened.total_s.has_value(); }
  bool simulated_longer(std::size_t number) const { return candidates_[number].longer.total_s.has_value(); }
  bool simulated_in_full(std::size_t number) const {
    return candidates_[number].simulated.total_s.has_value();
  }

 private:
  std::vector<StudyPoint> points_;
  std::vector<Candidate> candidates_;
};

const Variant blocking{"condensed", Transfer::put, Completion::each};
const Variant individual{"individual", Transfer::get, Completion::each};
const Variant sending{"condensed", Transfer::two_sided, Completion::together};
const Variant sending_overlapped{"condensed", Transfer::two_sided, Completion::overlapped};

}  // namespace

TEST_CASE("search: finds the fastest where the closed form likes it least of its program") {
  Grid grid({blocking}, 2, 3);
  // The closed form orders each number of nodes the wrong way round, and is up to ten times off.
  const std::vector<double> simulated_s{3, 2, 1.5, 1.2, 1.0, 0.9};
  const SearchReport report = grid.find({5, 6, 7, 5, 7, 9}, simulated_s, simulated_s);
  CHECK(grid.best() == 5);
  // The others on fewer nodes would have to be three times as far off as the first.
  CHECK(report.screened == 1 + 3);
  CHECK(report.could_still_win == 0);
}

TEST_CASE("search: who could not win is not simulated, and said so") {
  Grid grid({blocking, individual}, 1, 100);
  std::vector<double> closed_form_s(200, 1);
  std::vector<double> simulated_s(200, 0.5);
  // The closed form of the second program is exact; each takes 100 s and more.
  for (std::size_t i = 100; i < 200; ++i)
    simulated_s[i] = closed_form_s[i] = static_cast<double>(i);
  const SearchReport report = grid.find(closed_form_s, simulated_s, simulated_s);
  CHECK(report.candidates == 200);
  CHECK(report.screened == 100 + 1);
  CHECK(grid.screened(100));
  CHECK_FALSE(grid.screened(101));
  CHECK(report.could_still_win == 0);
}

TEST_CASE("search: each placement is simulated, however slow its closed form") {
  Grid grid({sending}, 1, 2);
  grid.place(1, graph::PlacementRule::cyclic);
  // A box of 27^3 points on 2 nodes of dragonfly_200g: placed block and cyclic, milliseconds.
  grid.some_s = {5.7, 6.8};
  grid.find({20, 290}, {5.9, 7.8}, {5.5, 5.2});
  CHECK(grid.best() == 1);
}

TEST_CASE("search: without barriers, a few iterations that flatter do not decide") {
  Grid grid({sending}, 1, 6);
  // The fifth's ranks come to their pace later: its iterations after the fourth take (16 * 0.97 - 4 * 1.045)
  // / 12.
  grid.some_s = {1.00, 1.02, 1.03, 1.04, 0.97, 1.3};
  const SearchReport report = grid.find({1, 1, 1, 1, 1, 1}, {1.00, 1.02, 1.03, 1.04, 1.045, 1.3},
                                        {1.00, 1.02, 1.03, 1.02, 0.95, 1.3});
  CHECK(grid.best() == 4);
  CHECK(report.simulated == 1);
  CHECK(report.could_still_win == 0);
}

TEST_CASE("search: where ranks have few neighbours, one that is still becoming faster is simulated in full") {
  Grid grid({sending}, 1, 3);
  grid.some_s = {1.00, 1.30, 1.40};
  grid.find({1, 1, 1}, {1.00, 1.40, 1.40}, {1.00, 0.95, 1.40});
  CHECK(grid.best() == 1);
  CHECK(grid.simulated_longer(2));
  CHECK_FALSE(grid.simulated_in_full(2));  // it did not change any more
}

TEST_CASE("search: where ranks have many neighbours, who is far behind after a few iterations stays there") {
  Grid grid({sending}, 1, 3);
  grid.messages_per_rank = 100;
  grid.some_s = {1.00, 1.05, 1.30};
  grid.find({1, 1, 1}, {1.00, 1.10, 1.40}, {1.00, 1.04, 0.95});
  CHECK(grid.simulated_longer(1));
  CHECK_FALSE(grid.simulated_longer(2));
  CHECK(grid.best() == 0);
}

TEST_CASE("search: one that falls behind in the long run does not keep others out") {
  Grid grid({sending}, 1, 3);
  grid.find({1, 1, 1}, {1.00, 1.05, 1.10}, {1.20, 1.05, 1.10});
  CHECK(grid.best() == 1);
}

TEST_CASE("search: of those that differ only in when they complete and are equal, one is simulated further") {
  Grid grid({sending, sending_overlapped}, 1, 1);
  CHECK(grid.find({1, 1}, {1.0, 1.0005}, {1.0, 1.0}).simulated == 1);
  CHECK(grid.simulated_longer(0));
  CHECK_FALSE(grid.simulated_longer(1));
  Grid unequal({sending, sending_overlapped}, 1, 1);
  CHECK(unequal.find({1, 1}, {1.0, 1.002}, {1.0, 0.98}).simulated == 2);
  CHECK(unequal.best() == 1);
  Grid other_block_size({sending}, 1, 2);
  CHECK(other_block_size.find({1, 1}, {1.0, 1.0005}, {1.0, 0.98}).simulated == 2);
}

TEST_CASE("search: where the simulation of one fails, the equal one takes its place") {
  Grid grid({sending, sending_overlapped}, 1, 1);
  grid.fails_in_some = 0;
  CHECK(grid.find({1, 1}, {1.0, 1.0}, {1.0, 1.0}).simulated == 1);
  CHECK(grid.simulated_in_full(1));
}

TEST_CASE("search: few and some iterations are never more than all") {
  Run run;
  run.transfer = Transfer::two_sided;
  run.iterations = 1000;
  CHECK(iterations_at(Depth::few, run) == 4);
  CHECK(iterations_at(Depth::some, run) == 16);
  CHECK(iterations_at(Depth::all, run) == 1000);
  run.iterations = 10;
  CHECK(iterations_at(Depth::few, run) == 4);
  CHECK(iterations_at(Depth::some, run) == 10);
  run.iterations = 3;
  CHECK(iterations_at(Depth::few, run) == 3);
  run.transfer = Transfer::put;
  CHECK(iterations_at(Depth::few, run) == 1);
}

TEST_CASE("search: with barriers every iteration is alike, so that the others are not needed") {
  Grid grid({blocking}, 1, 6);
  const std::vector<double> times_s{1.00, 1.02, 1.03, 1.04, 1.045, 1.3};
  CHECK(grid.find({1, 1, 1, 1, 1, 1}, times_s, times_s).simulated == 1);
}

TEST_CASE("search: those who come next are simulated in full where so many are asked for") {
  Grid grid({blocking}, 1, 6);
  const std::vector<double> times_s{1.3, 1.02, 1.03, 1.04, 1.00, 1.5};
  CHECK(grid.find({1, 1, 1, 1, 1, 1}, times_s, times_s, 1000, 3).simulated == 3);
  CHECK(grid.simulated_in_full(1));
  CHECK(grid.simulated_in_full(2));
  CHECK(grid.find({1, 1, 1, 1, 1, 1}, times_s, times_s, 1000, 10).simulated == 6);
}

TEST_CASE("search: when time is up, it says how many could still win") {
  Grid grid({blocking}, 1, 100);
  const std::vector<double> times_s(100, 1);
  // The first of the only program, then a batch of 64; then the time is up, for the finals as well.
  const SearchReport report = grid.find(times_s, times_s, times_s, 2);
  CHECK(report.screened == 1 + 64);
  CHECK(report.could_still_win >= 100 - 65);
}

TEST_CASE("search: what has no closed form is simulated first") {
  std::vector<StudyPoint> points(2);
  points[1].number = 1;
  for (StudyPoint& point : points) {
    point.run.problem = SpmvProblem{"m", "", 1 << 20, 8, 256};
    point.run.ranks = point.run.ranks_per_node = 4;
  }
  std::vector<Candidate> candidates{{&points[0], {}, {}, {}, {}}, {&points[1], {}, {}, {}, {}}};
  candidates[1].closed_form.total_s = 1;
  std::size_t in_first_round = 0;
  search(candidates, [&](const std::vector<Candidate*>& round, Depth depth) {
    if (in_first_round == 0) in_first_round = round.size();
    for (Candidate* candidate : round)
      (depth == Depth::few    ? candidate->screened
       : depth == Depth::some ? candidate->longer
                              : candidate->simulated)
          .total_s = 1;
    return true;
  });
  CHECK(in_first_round == 2);
}
