// SPDX-License-Identifier: MIT
#include "sim/tune/objective.hpp"

#include <catch2/catch.hpp>

#include "kernels/problem/spmv_problem.hpp"
#include "sim/tune/search.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::study;
using namespace finegrain::tune;
using Catch::Matchers::Contains;

namespace {

Answer answer_of(double total_s, std::optional<double> energy_j = {}) {
  Answer of_run{.total_s = total_s, .phases_s = {}, .none_because = {}};
  if (energy_j) of_run.quantities.emplace_back("energy_j", *energy_j);
  return of_run;
}

/// 8 ranks on 2 nodes.
Run small_run() {
  Run run;
  run.problem = problem::SpmvProblem{"m", "", 1 << 20, 8, 256};
  run.ranks = 8;
  run.ranks_per_node = 4;
  run.iterations = 1;
  run.transfer = Transfer::put;
  return run;
}

}  // namespace

TEST_CASE("an objective's value: seconds, joules, their product, or nodes x hours") {
  const Run run = small_run();
  CHECK(Judge{Objective::time}.value(run, answer_of(7200, 50)) == 7200.);
  CHECK(Judge{Objective::energy}.value(run, answer_of(7200, 50)) == 50.);
  CHECK(Judge{Objective::energy_delay}.value(run, answer_of(7200, 50)) == 50. * 7200);
  CHECK(Judge{Objective::node_hours}.value(run, answer_of(7200, 50)) == 2. * 2);
  CHECK(!Judge{Objective::energy}.value(run, Answer{}));
}

TEST_CASE("an answer that knows no energy, as a closed form, keeps all cores busy") {
  CHECK(Judge{Objective::energy, 300}.value(small_run(), answer_of(10)) == 300. * 10);
}

TEST_CASE("what a search extrapolates grows as time does, of energy x delay too") {
  const Judge judge{Objective::energy_delay, 300};
  CHECK(*judge.cost(small_run(), answer_of(20)) == Approx(2 * *judge.cost(small_run(), answer_of(10))));
}

TEST_CASE("a search for the least energy simulates in full what needs less, though it is slower") {
  std::vector<StudyPoint> points(2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].number = static_cast<std::int64_t>(i);
    points[i].positions[static_cast<std::size_t>(Axis::policy)] = i;
    points[i].run = small_run();
  }
  std::vector<Candidate> candidates{{&points[0], answer_of(1), {}, {}, {}},
                                    {&points[1], answer_of(2), {}, {}, {}}};
  for (Candidate& candidate : candidates)
    candidate.judge = {Objective::energy, 100};
  search(candidates, [](const std::vector<Candidate*>& round, Depth depth) {
    for (Candidate* candidate : round) {
      const Answer found = candidate->point->number == 0 ? answer_of(1, 100) : answer_of(2, 60);
      (depth == Depth::few ? candidate->screened : candidate->simulated) = found;
    }
    return true;
  });
  CHECK(candidates[1].simulated.total_s);
  CHECK(!candidates[0].simulated.total_s);
}

TEST_CASE("objectives have names, and no others") {
  CHECK(parse_objective("edp", "--objective") == Objective::energy_delay);
  CHECK_THROWS_WITH(parse_objective("speed", "--objective"),
                    Contains("--objective: 'speed' is no objective"));
}
