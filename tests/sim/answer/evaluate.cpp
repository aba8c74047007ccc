// SPDX-License-Identifier: MIT
#include "sim/answer/evaluate.hpp"

#include <catch2/catch.hpp>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::answer;

TEST_CASE("each question gets what it asks for: a simulation, or none") {
  SmallPlatform small(switched(2));
  const Schedule schedule = puts(3 * megabyte, 2);
  const problem::Placement placement(2, 1);
  const replay::ReplayJob job{.schedule = &schedule, .platform = &*small, .placement = &placement};
  const std::vector<Answer> answers =
      evaluate({{.job = job, .simulation = false, .measured_s = 5}, {.job = job}}, 2, {});
  REQUIRE(answers.size() == 2);
  CHECK_FALSE(answers[0].simulated);
  CHECK(answers[0].question.measured_s == 5);
  REQUIRE(answers[1].simulated);
  CHECK(answers[1].simulated->total_s == Approx(2 * 3));
  CHECK_FALSE(answers[1].closed_form);  // nobody asked
  CHECK(answers[1].iterations() == 2);
}

TEST_CASE("what the closed form needs and the platform lacks is said before anything is simulated") {
  SmallPlatform small(switched(2));  // without tau
  const auto heat = pattern::pattern_kind("heat").open("8x8", "--heat");
  Schedule schedule{{.problem = heat->problem(2, {}), .policy = "condensed", .ranks = 2}, {}};
  schedule = policy::make_schedule(*heat, schedule.run);
  const problem::Placement placement(2, 1);
  std::size_t finished = 0;
  CHECK_THROWS_AS(evaluate({{.job = {.schedule = &schedule, .platform = &*small, .placement = &placement},
                             .closed_form = model::ClosedForm::as_published}},
                           1, {}, [&](std::size_t done) { finished = done; }),
                  InputError);
  CHECK(finished == 0);
}
