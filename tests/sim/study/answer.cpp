// SPDX-License-Identifier: MIT
#include "sim/study/answer.hpp"

#include <catch2/catch.hpp>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::study;

namespace {

using Times = std::vector<std::pair<std::string, double>>;

/// Two iterations, in which rank 0 has no region but the barrier, and rank 1 puts before it.
struct OneRankPuts {
  Schedule schedule = puts(8, 2);
  problem::Placement placement{2, 1};
  answer::Answer answer{
      .question = {.job = {.schedule = &schedule, .platform = nullptr, .placement = &placement}},
      .simulated = replay::ReplayResult{},
      .closed_form = {}};

  OneRankPuts() {
    std::swap(schedule.ranks[0], schedule.ranks[1]);
    answer.simulated->total_s = 9;
    answer.simulated->ranks.resize(2);
    answer.simulated->ranks[0].phases_s = {8};
    answer.simulated->ranks[1].phases_s = {6, 2};
  }
};

}  // namespace

TEST_CASE("a point keeps its phases in program order, each with its slowest rank's time of all iterations") {
  const OneRankPuts run;
  const Answer kept = simulated_answer(run.answer);
  CHECK(kept.total_s == 9);
  CHECK(kept.phases_s == Times{{"put", 6}, {"barrier", 8}});
  CHECK_FALSE(kept.quantity("energy_j"));
  CHECK(kept.quantity("simulated_low_s").value() < 9);
  CHECK(kept.quantity("simulated_high_s").value() > 9);
}

TEST_CASE("a point keeps joules where the platform has powers") {
  OneRankPuts run;
  run.answer.simulated->energy = replay::Energy{200, 50};
  CHECK(simulated_answer(run.answer).quantity("energy_j") == 200);
  CHECK_FALSE(simulated_answer(run.answer).quantity("slow_down"));
}

TEST_CASE("a point's closed form is of all iterations, and says so where there is none") {
  OneRankPuts run;
  CHECK_FALSE(closed_form_answer(run.answer).total_s);
  CHECK(closed_form_answer(run.answer).none_because == "there are no equations of this policy");
  run.answer.closed_form.emplace().total_s = 0.25;
  run.answer.closed_form->phases.push_back({.name = regions::put, .time_s = 0.125});
  CHECK(closed_form_answer(run.answer).total_s == 2 * 0.25);
  CHECK(closed_form_answer(run.answer).phases_s == Times{{"put", 2 * 0.125}});
}

TEST_CASE("a point of jobs keeps the last end of all, each job's times, and the worst slow-down") {
  const OneRankPuts run;
  const replay::SharedJob early{run.answer.question.job, {0, 1}, 0};
  const replay::SharedJob late{run.answer.question.job, {0, 1}, 5};
  std::vector<answer::Answer> jobs{run.answer, run.answer};
  jobs[0].question.shared = &early;
  jobs[0].beside_others = {4, 6, false};
  jobs[1].question.shared = &late;
  jobs[1].beside_others = {2, 4, false};
  const Answer kept = answer_of_jobs(jobs);
  CHECK(kept.total_s == 5 + 4.);
  CHECK(kept.phases_s ==
        Times{{"job 1 alone", 4}, {"job 1 together", 6}, {"job 2 alone", 2}, {"job 2 together", 4}});
  CHECK(kept.quantity("slow_down") == 4 / 2.);  // that of job 1 is 6 / 4
}
