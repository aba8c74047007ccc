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

TEST_CASE("one question: what it does not ask for is not simulated") {
  SmallPlatform small(switched(2));
  const Schedule schedule = puts(megabyte);
  Question question{.job = {.schedule = &schedule, .platform = &*small}, .simulation = false};
  std::size_t simulated = 0;
  const auto replay = [&](const replay::ReplayJob& job) {
    ++simulated;
    CHECK(job.schedule == &schedule);
    replay::ReplayResult result;
    result.total_s = 7;
    return result;
  };
  CHECK_FALSE(evaluate(question, replay).simulated);
  CHECK(simulated == 0);
  question.simulation = true;
  CHECK(evaluate(question, replay).simulated->total_s == 7);
  CHECK(simulated == 1);
}

TEST_CASE("jobs on one machine: an answer for each, with its times alone and beside the others") {
  SmallPlatform small(two_switches);
  const Schedule schedule = puts(megabyte, 4);
  const replay::ReplayJob job{.schedule = &schedule, .platform = &*small};
  const std::vector<replay::SharedJob> jobs{{job, {0, 2}}, {job, {1, 3}, 0}};
  const std::vector<Answer> answers = evaluate_side_by_side(jobs, 2, {.share_tolerance = 0});
  REQUIRE(answers.size() == 2);
  CHECK(answers[1].question.shared == &jobs[1]);
  for (const Answer& answer : answers) {
    CHECK(answer.beside_others->alone_s == Approx(4 * 1.));
    CHECK(answer.beside_others->together_s == Approx(4 * 2.));  // both cross one link
    CHECK_FALSE(answer.simulated);
  }
}

TEST_CASE("jobs on one machine: a note names those that keep the tasks of their recordings") {
  const Answer free{.question = {}, .simulated = {}, .closed_form = {}, .beside_others = {{1, 1, false}}};
  const Answer keeps{.question = {}, .simulated = {}, .closed_form = {}, .beside_others = {{1, 1, true}}};
  CHECK(describe_kept_tasks({{free, free}}).empty());
  CHECK_THAT(describe_kept_tasks({{keeps, free, keeps}}),
             Catch::Contains("jobs 1, 3: ") && Catch::Contains("in the recorded order"));
}
