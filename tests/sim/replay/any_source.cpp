// SPDX-License-Identifier: MIT
// Recorded programs with receives from any source whose work is the ranks' own.
#include <catch2/catch.hpp>
#include <utility>

#include "task_farm.hpp"

using namespace finegrain;
using namespace finegrain::replay;

TEST_CASE("receives from any source: ranks that each have a number of steps of their own have no tasks") {
  // Each step ends with a message, which rank 0 acknowledges at once. Rank 1 works for 3 s three times.
  std::vector<Calls> ranks(3);
  for (int step = 0; step < 3; ++step) {
    add_step(ranks[1], 3);
    add_step(ranks[2], 1);
  }
  for (const int worker : {2, 2, 1, 2, 1, 1})
    answer_at_once(ranks[0], worker);
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->tasks == 0);
  CHECK(result.ranks[2].finish_s == Approx(3 * 1).margin(margin_s));
  CHECK(result.total_s == Approx(3 * 3).margin(margin_s));
}

TEST_CASE("self-scheduling: tasks stay where they were if that is asked for") {
  const ListedPrograms programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  const Schedule run = run_of(programs);
  const ReplayJob job{.schedule = &run, .platform = &*platform, .programs = &programs, .keeps_tasks = true};
  const ReplayResult result = replay_all({job}, 1).front();
  CHECK_FALSE(result.tasks);
  CHECK(result.wildcards.out_of_order > 0);
  CHECK(result.total_s == Approx(4 + 1).margin(margin_s));
}

TEST_CASE("self-scheduling: what was sent before a result is no answer to it") {
  // Each worker has two tasks at a time: it gets the second one while it works on the first one.
  std::vector<Calls> ranks(3);
  for (const int worker : {1, 2}) {
    for (int task = 0; task < 2; ++task)
      ranks[0].push_back(sends(worker, task_tag));
    for (int task = 0; task < 3; ++task) {
      ranks[static_cast<std::size_t>(worker)].push_back(takes(0, task_tag));
      ranks[static_cast<std::size_t>(worker)].push_back(sends(0, result_tag, worker == 1 ? 2 : 1));
    }
  }
  for (const int worker : {1, 2, 1, 2, 1, 2}) {
    ranks[0].push_back(take_any(worker));
    if (ranks[0].size() < 4 + 2 * 2) ranks[0].push_back(sends(worker, task_tag));
  }
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->tasks == 0);
  CHECK(result.ranks[1].finish_s == Approx(3 * 2).margin(margin_s));
  CHECK(result.ranks[2].finish_s == Approx(3 * 1).margin(margin_s));
}

TEST_CASE("self-scheduling: other programs keep the recorded order, and say how many would not") {
  const auto recorded = farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5});
  SECTION("a receive that is posted while the master works") {
    auto ranks = recorded;
    ranks[0][0].post().blocking = false;
    ranks[0].insert(ranks[0].begin() + 1, TimedCall{Complete{1, 1}, 2});
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("an exchange that is waited for later") {
    auto ranks = recorded;
    Post result = ranks[1][0].post();
    Post answer = ranks[1][1].post();
    result.blocking = answer.blocking = false;
    ranks[1][0] = {answer, 0, {result}};
    ranks[1][1] = {Complete{2, 2}, 0.1};
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("two masters") {
    auto ranks = recorded;
    ranks[1].push_back(take_any(2));
    ranks[2].push_back(sends(1, result_tag));
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("two receives that are posted before they are waited for") {
    auto ranks = recorded;
    std::swap(ranks[0][1], ranks[0][2]);
    ranks[0][0].post().blocking = ranks[0][1].post().blocking = false;
    ranks[0].insert(ranks[0].begin() + 2, TimedCall{Complete::all()});
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("answers that only one of the workers understands") {
    auto ranks = recorded;
    ranks[0].back().post().tag = 8;
    ranks[2].back().post().tag = 8;
    const ReplayResult result = replayed(ranks);
    CHECK_FALSE(result.tasks);
    CHECK(result.wildcards.count == 6);
    CHECK(result.wildcards.out_of_order > 0);
    CHECK(result.total_s == Approx(4 + 1).margin(margin_s));
  }
}
