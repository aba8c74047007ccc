// SPDX-License-Identifier: MIT
// Recorded programs whose master gives the next task to whichever worker sends its result first.
#include <catch2/catch.hpp>

#include "sim/replay/noise.hpp"
#include "sim/replay/timeline.hpp"
#include "task_farm.hpp"

using namespace finegrain;
using namespace finegrain::replay;

TEST_CASE("self-scheduling: a worker that is free gets the task that the recording gave to a busy one") {
  // Worker 1 works on the first task from 0 to 4 s. Meanwhile worker 2 does the others, from 0.5 s on.
  const ReplayResult result = replayed(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  REQUIRE(result.tasks);
  CHECK(result.tasks->master == 0);
  CHECK(result.tasks->results == 4 + 2);
  CHECK(result.tasks->other_order == 3);
  CHECK(result.tasks->tasks == 4);
  CHECK(result.tasks->moved == 1);  // the third one
  CHECK(result.total_s == Approx(4).margin(margin_s));
  CHECK(result.ranks[2].finish_s == Approx(0.5 + 1 + 1 + 1).margin(margin_s));
  CHECK(result.wildcards.count == 6);
}

TEST_CASE("self-scheduling: results that come as in the recording change nothing") {
  const ReplayResult result = replayed(farm({1, 2, 2, 2, 2, 1}, {4, 1, 1, 1}, {0, 0.5}));
  REQUIRE(result.tasks);
  CHECK(result.tasks->moved == 0);
  CHECK(result.total_s == Approx(4).margin(margin_s));
}

TEST_CASE("self-scheduling: a long result is taken when its envelope comes, not its bytes") {
  // Worker 1 offers its result at 0 s, worker 2 at 0.5 s. Each takes two seconds to come.
  SmallPlatform platform(switched(3));
  platform.costs().eager_limit_bytes = 1000;
  const ListedPrograms programs(farm({2, 1, 2, 1}, {1, 1}, {0, 0.5}, 2 * megabyte));
  const ReplayResult result = replay_programs(programs, *platform);
  REQUIRE(result.tasks);
  // 0 to 2 s: from 1, whose task ends at 3 s; 2 to 4 s: from 2; 4 to 6 s: from 1; 6 to 8 s: from 2.
  CHECK(result.ranks[1].finish_s == Approx(6).margin(margin_s));
  CHECK(result.total_s == Approx(8).margin(margin_s));
  CHECK(result.tasks->tasks == 2);
  CHECK(result.tasks->moved == 2);
}

TEST_CASE("self-scheduling: what a worker does after its last answer stays its own") {
  auto ranks = farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5});
  ranks[1].push_back(sends(3, 7, 10));
  ranks.push_back({takes(1, 7)});
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.ranks[2].finish_s == Approx(3.5).margin(margin_s));
  CHECK(result.ranks[3].finish_s == Approx(4 + 10).margin(margin_s));
}

TEST_CASE("self-scheduling: tasks are given round after round, with a barrier between two rounds") {
  auto ranks = farm({1, 2, 1, 2}, {2, 1}, {0, 0.5});
  const auto again = ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].push_back({Collective{}});
    ranks[rank].insert(ranks[rank].end(), again[rank].begin(), again[rank].end());
  }
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->results == 2 * 4);
  CHECK(result.tasks->tasks == 2 * 2);
  CHECK(result.total_s == Approx(2 * 2).margin(margin_s));
}

TEST_CASE("self-scheduling: data that come with a result are received from the worker that sent it") {
  // In the recording, the second result is the first of worker 2, without data. Here it comes only at 2.5 s:
  // worker 1, which does the first three tasks until then, has sent two results with data before.
  const ReplayResult result =
      replayed(farm({1, 2, 1, 2, 1, 2}, {1, 1, 1, 1}, {0, 2.5}, 1, Data::in_a_message));
  REQUIRE(result.tasks);
  CHECK(result.tasks->moved == 1);
  CHECK(result.ranks[1].finish_s == Approx(1 + 1 + 1).margin(margin_s));
  CHECK(result.ranks[2].finish_s == Approx(2.5 + 1).margin(margin_s));
}

TEST_CASE(
    "self-scheduling: a receive that is waited for next, and an exchange, are like two calls that block") {
  auto ranks = farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5});
  SECTION("MPI_Irecv, MPI_Wait") {
    for (std::size_t call = 0; call < ranks[0].size(); call += 3) {
      ranks[0][call].post().blocking = false;
      ranks[0].insert(ranks[0].begin() + static_cast<std::ptrdiff_t>(call) + 1, TimedCall{Complete{1, 1}});
    }
  }
  SECTION("MPI_Sendrecv") {
    for (const std::size_t worker : {1, 2}) {
      Calls exchanges;
      for (std::size_t call = 0; call < ranks[worker].size(); call += 2) {
        Post result = ranks[worker][call].post();
        Post answer = ranks[worker][call + 1].post();
        result.blocking = answer.blocking = false;
        exchanges.push_back({answer, ranks[worker][call].work_s, {result, Complete{2, 2}}});
      }
      ranks[worker] = exchanges;
    }
  }
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->moved == 1);
  CHECK(result.total_s == Approx(4).margin(margin_s));
}

TEST_CASE(
    "receives from any source: work that is a rank's own stays with it, in whatever order it is served") {
  // In the recording, worker 1 was always first; here it works for 3 s before its first message, and worker 2
  // for 1 s.
  SECTION("all are answered after all have sent") {
    std::vector<Calls> ranks(3);
    for (int step = 0; step < 2; ++step) {
      for (const int worker : {1, 2}) {
        ranks[static_cast<std::size_t>(worker)].push_back(sends(0, result_tag, worker == 1 ? 3 : 1));
        ranks[0].push_back(take_any(worker));
      }
      for (const int worker : {1, 2}) {
        ranks[0].push_back(sends(worker, task_tag));
        ranks[static_cast<std::size_t>(worker)].push_back(takes(0, task_tag));
      }
    }
    const ReplayResult result = replayed(ranks);
    REQUIRE(result.tasks);
    CHECK(result.tasks->other_order == 2 * 2);
    CHECK(result.tasks->tasks == 0);
    CHECK(result.total_s == Approx(3 + 3).margin(margin_s));
  }
  SECTION("each is answered at once, and all meet") {
    std::vector<Calls> ranks(3);
    for (int step = 0; step < 3; ++step) {
      for (const int worker : {1, 2}) {
        add_step(ranks[static_cast<std::size_t>(worker)], worker == 1 ? 3 : 1);
        answer_at_once(ranks[0], worker);
      }
      for (auto& own : ranks)
        own.push_back({Collective{}});
    }
    const ReplayResult result = replayed(ranks);
    REQUIRE(result.tasks);
    CHECK(result.tasks->tasks == 0);
    CHECK(result.total_s == Approx(3 * 3).margin(margin_s));
    CHECK(result.ranks[2].phases_s[0] == Approx(3 * 1));  // its work
  }
  SECTION("workers exchange something between two results") {
    auto ranks = farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5});
    ranks[1].insert(ranks[1].begin() + 2, sends(2, 9));
    ranks[2].insert(ranks[2].begin() + 2, takes(1, 9));
    const ReplayResult result = replayed(ranks);
    REQUIRE(result.tasks);
    CHECK(result.tasks->tasks == 2);  // after the exchange: worker 2 has both
    CHECK(result.ranks[2].finish_s == Approx(0.5 + 1 + 1 + 1).margin(margin_s));
    CHECK(result.total_s == Approx(4).margin(margin_s));
  }
}

TEST_CASE("self-scheduling: tasks before the first result, and answers after the last one") {
  // Rank 0 sends the first two tasks, of 4 and 1 s; the next one, of 1 s, was worker 1's in the recording.
  // Then it takes two results, and stops both by name.
  std::vector<Calls> ranks(3);
  for (const int worker : {1, 2}) {
    ranks[0].push_back(sends(worker, task_tag));
    auto& own = ranks[static_cast<std::size_t>(worker)];
    own = {takes(0, task_tag), sends(0, result_tag, worker == 1 ? 4 : 1)};
  }
  ranks[0].push_back(take_any(1));
  ranks[0].push_back(sends(1, task_tag));
  ranks[1].push_back(takes(0, task_tag));
  ranks[1].push_back(sends(0, result_tag, 1));
  for (const int worker : {2, 1})
    ranks[0].push_back(take_any(worker));
  for (const int worker : {1, 2}) {
    ranks[0].push_back(sends(worker, stop_tag));
    ranks[static_cast<std::size_t>(worker)].push_back(takes(0, stop_tag));
  }
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->tasks == 1);
  CHECK(result.tasks->moved == 1);
  CHECK(result.total_s == Approx(4).margin(margin_s));
}

TEST_CASE("self-scheduling: results that follow one another without anything between") {
  auto ranks = farm({1, 2, 1, 2}, {4, 1}, {0, 0.5});
  // Both last results are taken before both stops are sent.
  std::swap(ranks[0][5], ranks[0][6]);
  for (auto& calls : ranks)
    for (TimedCall& call : calls)
      if (call.work_s == 0) call.work_s = -1;
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.total_s == Approx(4).margin(margin_s));
  CHECK(result.ranks[2].finish_s == Approx(4).margin(margin_s));
}

TEST_CASE("self-scheduling: where replies wait behind data, a result is taken when its request comes") {
  for (const double request_bytes : {0., 0.5 * megabyte}) {
    SmallPlatform platform(switched(3));
    platform.costs().eager_limit_bytes = 1000;
    platform.costs().replies_wait = true;
    platform.costs().request_bytes = request_bytes;
    const ListedPrograms programs(farm({2, 1, 2, 1}, {1, 1}, {0, 0.5}, 2 * megabyte));
    const ReplayResult result = replay_programs(programs, *platform);
    REQUIRE(result.tasks);
    CHECK(result.tasks->moved == 2);
    CHECK(result.total_s == Approx(8).margin(margin_s));
  }
}

TEST_CASE("self-scheduling: a timeline shows the tasks where they are given") {
  const ListedPrograms programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  const Schedule run = run_of(programs);
  const ProgramTimeline timeline = replay_program_timeline(
      {.schedule = &run, .platform = &*platform, .programs = &programs}, 0, 100, {}, WithPath::yes);
  CHECK(timeline.makespan_s == Approx(4).margin(margin_s));
  double path_s = 0;
  for (const PathPiece& piece : timeline.critical_path)
    path_s += piece.end_s - piece.start_s;
  CHECK(path_s == Approx(timeline.makespan_s));
}

TEST_CASE("self-scheduling: with noise, tasks go to whoever comes first with it") {
  const ListedPrograms programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  const Noise noise{.kind = Noise::Kind::fixed, .period_s = 1e-2, .duration_s = 5e-3};
  const Schedule run = run_of(programs);
  const ReplayResult result =
      replay_all({{.schedule = &run, .platform = &*platform, .programs = &programs, .noise = &noise}}, 1)
          .front();
  REQUIRE(result.tasks);
  CHECK(result.tasks->moved == 1);
  CHECK(result.total_s == Approx(2 * 4).epsilon(0.05));
}
