// SPDX-License-Identifier: MIT
// Recorded programs whose master gives the next task to whichever worker sends its result first.
#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "sim/collectives/decisions.hpp"
#include "sim/replay/noise.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

/// A call as it is recorded: work, and then operations.
struct Call {
  double work_s;  ///< negative: a call right after another one, without any
  std::vector<Operation> operations;

  Post& post() { return std::get<Post>(operations.front()); }
};

class Calls : public Programs {
 public:
  explicit Calls(std::vector<std::vector<Call>> ranks) : ranks_(std::move(ranks)) {}
  int ranks() const override { return static_cast<int>(ranks_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<Cursor>(ranks_[static_cast<std::size_t>(rank)]);
  }

 private:
  class Cursor : public ProgramCursor {
   public:
    explicit Cursor(const std::vector<Call>& calls) : calls_(calls) {}
    const Loop* next() override {
      if (next_ == calls_.size()) return nullptr;
      const Call& call = calls_[next_++];
      auto body = std::make_shared<Body>();
      seconds_.clear();
      if (call.work_s >= 0) {
        body->add_region(regions::compute, Work{.is_timed = true});
        seconds_.push_back(call.work_s);
      }
      seconds_.push_back(0);
      body->begin_region(RegionName("MPI"));
      for (const Operation& operation : call.operations)
        body->add(operation);
      loop_ = {std::move(body), 1, seconds_};
      return &loop_;
    }

   private:
    const std::vector<Call>& calls_;
    std::size_t next_ = 0;
    std::vector<double> seconds_;
    Loop loop_{};
  };

  std::vector<std::vector<Call>> ranks_;
};

constexpr std::int32_t result_tag = 1, task_tag = 2, stop_tag = 3, data_tag = 4;

Call sends(int peer, std::int32_t tag, double work_s = 0, std::int64_t bytes = 1) {
  return {
      work_s,
      {Post{.kind = TransferKind::send, .blocking = true, .peer = peer, .tag = tag, .size_bytes = bytes}}};
}
Call takes(int peer, std::int32_t tag, std::int64_t bytes = 1) {
  return {
      0,
      {Post{.kind = TransferKind::receive, .blocking = true, .peer = peer, .tag = tag, .size_bytes = bytes}}};
}
Call take_any(int peer, std::int64_t bytes = 1) {
  Call call = takes(peer, result_tag, bytes);
  call.post().any_source = true;
  return call;
}

enum class Data { none, in_a_message };

/// Rank 0 answers its workers in this order: first with the tasks, then with a stop for each. A worker sends
/// its first result after its `first_s`, and the others after its tasks. These may have data in a second
/// message.
std::vector<std::vector<Call>> farm(const std::vector<int>& order, const std::vector<double>& tasks_s,
                                    const std::vector<double>& first_s, std::int64_t bytes = 1,
                                    Data data = Data::none) {
  std::vector<std::vector<Call>> ranks(first_s.size() + 1);
  for (std::size_t w = 0; w < first_s.size(); ++w)
    ranks[w + 1].push_back(sends(0, result_tag, first_s[w], bytes));
  for (std::size_t n = 0; n < order.size(); ++n) {
    std::vector<Call>& worker = ranks[static_cast<std::size_t>(order[n])];
    ranks[0].push_back(take_any(order[n], bytes));
    if (data != Data::none && worker.size() > 1) ranks[0].push_back(takes(order[n], data_tag));
    const bool is_task = n < tasks_s.size();
    ranks[0].push_back(sends(order[n], is_task ? task_tag : stop_tag));
    worker.push_back(takes(0, is_task ? task_tag : stop_tag));
    if (!is_task) continue;
    worker.push_back(sends(0, result_tag, tasks_s[n], bytes));
    if (data != Data::none) worker.push_back(sends(0, data_tag));
  }
  return ranks;
}

ReplayResult replayed(const Programs& programs, SmallPlatform& platform, const Noise* noise = nullptr) {
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = 1;
  const ReplayJob job{.schedule = &run, .platform = &*platform, .programs = &programs, .noise = noise};
  return replay_all({job}, 1).front();
}

ReplayResult replayed(const std::vector<std::vector<Call>>& ranks) {
  SmallPlatform platform(switched(static_cast<int>(ranks.size())));
  return replayed(Calls(ranks), platform);
}

// Messages of a byte take a microsecond.
constexpr double margin_s = 1e-4;

}  // namespace

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
  CHECK(result.wildcards == 6);
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
  const Calls programs(farm({2, 1, 2, 1}, {1, 1}, {0, 0.5}, 2 * megabyte));
  const ReplayResult result = replayed(programs, platform);
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
    ranks[rank].push_back({0, {Collective{}}});
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
      ranks[0].insert(ranks[0].begin() + static_cast<std::ptrdiff_t>(call) + 1, Call{0, {Complete{1, 1}}});
    }
  }
  SECTION("MPI_Sendrecv") {
    for (const std::size_t worker : {1, 2}) {
      std::vector<Call> exchanges;
      for (std::size_t call = 0; call < ranks[worker].size(); call += 2) {
        Post result = ranks[worker][call].post();
        Post answer = ranks[worker][call + 1].post();
        result.blocking = answer.blocking = false;
        exchanges.push_back({ranks[worker][call].work_s, {answer, result, Complete{2, 2}}});
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
    std::vector<std::vector<Call>> ranks(3);
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
    std::vector<std::vector<Call>> ranks(3);
    for (int step = 0; step < 3; ++step) {
      for (const int worker : {1, 2}) {
        auto& own = ranks[static_cast<std::size_t>(worker)];
        own.push_back(sends(0, result_tag, worker == 1 ? 3 : 1));
        own.push_back(takes(0, task_tag));
        ranks[0].push_back(take_any(worker));
        ranks[0].push_back(sends(worker, task_tag));
      }
      for (auto& own : ranks)
        own.push_back({0, {Collective{}}});
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

TEST_CASE("receives from any source: ranks that each have a number of steps of their own have no tasks") {
  // Each step ends with a message, which rank 0 acknowledges at once. Rank 1 works for 3 s three times.
  std::vector<std::vector<Call>> ranks(3);
  for (int step = 0; step < 3; ++step) {
    for (const int worker : {1, 2}) {
      auto& own = ranks[static_cast<std::size_t>(worker)];
      own.push_back(sends(0, result_tag, worker == 1 ? 3 : 1));
      own.push_back(takes(0, task_tag));
    }
  }
  for (const int worker : {2, 2, 1, 2, 1, 1}) {
    ranks[0].push_back(take_any(worker));
    ranks[0].push_back(sends(worker, task_tag));
  }
  const ReplayResult result = replayed(ranks);
  REQUIRE(result.tasks);
  CHECK(result.tasks->tasks == 0);
  CHECK(result.ranks[2].finish_s == Approx(3 * 1).margin(margin_s));
  CHECK(result.total_s == Approx(3 * 3).margin(margin_s));
}

TEST_CASE("self-scheduling: tasks before the first result, and answers after the last one") {
  // Rank 0 sends the first two tasks, of 4 and 1 s; the next one, of 1 s, was worker 1's in the recording.
  // Then it takes two results, and stops both by name.
  std::vector<std::vector<Call>> ranks(3);
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
    for (Call& call : calls)
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
    const Calls programs(farm({2, 1, 2, 1}, {1, 1}, {0, 0.5}, 2 * megabyte));
    const ReplayResult result = replayed(programs, platform);
    REQUIRE(result.tasks);
    CHECK(result.tasks->moved == 2);
    CHECK(result.total_s == Approx(8).margin(margin_s));
  }
}

TEST_CASE("self-scheduling: tasks stay where they were if that is asked for") {
  const Calls programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  Schedule run;
  run.run.ranks = 3;
  run.run.ranks_per_node = 1;
  const ReplayJob job{.schedule = &run, .platform = &*platform, .programs = &programs, .keeps_tasks = true};
  const ReplayResult result = replay_all({job}, 1).front();
  CHECK_FALSE(result.tasks);
  CHECK(result.wildcards_out_of_order > 0);
  CHECK(result.total_s == Approx(4 + 1).margin(margin_s));
}

TEST_CASE("self-scheduling: what was sent before a result is no answer to it") {
  // Each worker has two tasks at a time: it gets the second one while it works on the first one.
  std::vector<std::vector<Call>> ranks(3);
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

TEST_CASE("self-scheduling: a timeline shows the tasks where they are given") {
  const Calls programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  Schedule run;
  run.run.ranks = 3;
  run.run.ranks_per_node = 1;
  const ProgramTimeline timeline = replay_program_timeline(
      {.schedule = &run, .platform = &*platform, .programs = &programs}, 0, 100, {}, WithPath::yes);
  CHECK(timeline.makespan_s == Approx(4).margin(margin_s));
  double path_s = 0;
  for (const PathPiece& piece : timeline.critical_path)
    path_s += piece.end_s - piece.start_s;
  CHECK(path_s == Approx(timeline.makespan_s));
}

TEST_CASE("self-scheduling: with noise, tasks go to whoever comes first with it") {
  const Calls programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  SmallPlatform platform(switched(3));
  const Noise noise{.kind = Noise::Kind::fixed, .period_s = 1e-2, .duration_s = 5e-3};
  const ReplayResult result = replayed(programs, platform, &noise);
  REQUIRE(result.tasks);
  CHECK(result.tasks->moved == 1);
  CHECK(result.total_s == Approx(2 * 4).epsilon(0.05));
}

TEST_CASE("self-scheduling: other programs keep the recorded order, and say how many would not") {
  const auto recorded = farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5});
  SECTION("a receive that is posted while the master works") {
    auto ranks = recorded;
    ranks[0][0].post().blocking = false;
    ranks[0].insert(ranks[0].begin() + 1, Call{2, {Complete{1, 1}}});
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("an exchange that is waited for later") {
    auto ranks = recorded;
    Post result = ranks[1][0].post();
    Post answer = ranks[1][1].post();
    result.blocking = answer.blocking = false;
    ranks[1][0] = {0, {answer, result}};
    ranks[1][1] = {0.1, {Complete{2, 2}}};
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
    ranks[0].insert(ranks[0].begin() + 2, Call{0, {Complete::all()}});
    CHECK_FALSE(replayed(ranks).tasks);
  }
  SECTION("answers that only one of the workers understands") {
    auto ranks = recorded;
    ranks[0].back().post().tag = 8;
    ranks[2].back().post().tag = 8;
    const ReplayResult result = replayed(ranks);
    CHECK_FALSE(result.tasks);
    CHECK(result.wildcards == 6);
    CHECK(result.wildcards_out_of_order > 0);
    CHECK(result.total_s == Approx(4 + 1).margin(margin_s));
  }
}
