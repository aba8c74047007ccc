// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/natural_order.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> answers_of(std::size_t count, int processes,
                                    const std::function<std::string(std::size_t)>& task,
                                    const OnFailure& failed = {}) {
  std::vector<std::string> answers(count);
  forked<std::string>(
      count, processes, task,
      [&](std::size_t index, std::string answer) { answers[index] = std::move(answer); }, failed);
  return answers;
}

}  // namespace

TEST_CASE("each task gets its own answer, however long it takes, and whatever its size") {
  const auto task = [](std::size_t index) {
    ::usleep(static_cast<unsigned>(20000 * (4 - index % 4)));
    return std::string(index * 200'000, static_cast<char>('a' + index));
  };
  const auto answers = answers_of(8, 3, task);
  for (std::size_t index = 0; index < 8; ++index)
    CHECK(answers[index] == task(index));
}

TEST_CASE("a task's InputError is thrown by the caller, the first task's where several fail") {
  const auto task = [](std::size_t index) -> std::string {
    if (index == 1) ::usleep(50000);
    throw InputError("task " + std::to_string(index), "it fails", "Start another");
  };
  try {
    answers_of(3, 3, task);
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.where() == "task 0");
    CHECK(error.problem() == "it fails");
    CHECK(error.remedy() == "Start another");
    CHECK(error.what() == std::string("task 0: it fails. Start another"));
  }
}

TEST_CASE("a task that aborts ends in an InputError with its last error line") {
  const auto task = [](std::size_t) -> std::string {
    std::fputs("[0.000000] [surf/INFO] harmless\n", stderr);
    std::fputs("[node-0:rank 0:(1) 0.5] ./x.cpp:7: [root/CRITICAL] the link is gone\n", stderr);
    std::fputs("Aborted.\n", stderr);
    std::abort();
  };
  CHECK_THROWS_WITH(answers_of(1, 1, task), Contains("simulation: the link is gone ("));
}

TEST_CASE("a task that writes more to stderr than a pipe holds does not hang") {
  const auto task = [](std::size_t) {
    for (int line = 0; line < 20000; ++line)
      std::fputs("a line of some sixty characters, twenty thousand times over\n", stderr);
    return std::string("done");
  };
  CHECK(answers_of(1, 1, task).front() == "done");
}

TEST_CASE("a task that exits without an answer is an error") {
  CHECK_THROWS_AS(answers_of(1, 1, [](std::size_t) -> std::string { std::_Exit(0); }), InputError);
}

TEST_CASE("a task that is killed is interrupted, not wrong, and the others go on") {
  std::vector<std::size_t> interrupted;
  std::vector<std::size_t> wrong;
  const auto task = [](std::size_t index) {
    if (index == 1) ::raise(SIGKILL);
    if (index == 2) throw std::bad_alloc();
    if (index == 3) throw InputError("task", "it fails", "Start another");
    return std::string("done");
  };
  const auto answers = answers_of(5, 1, task, [&](std::size_t index, const InputError& error) {
    (dynamic_cast<const TaskInterrupted*>(&error) != nullptr ? interrupted : wrong).push_back(index);
  });
  CHECK(answers == std::vector<std::string>{"done", "", "", "", "done"});
  CHECK(interrupted == std::vector<std::size_t>{1, 2});
  CHECK(wrong == std::vector<std::size_t>{3});
}

TEST_CASE("whoever waits for a task learns that it was interrupted, also when it was a task's own task") {
  const auto killed = [](std::size_t) -> std::string {
    ::raise(SIGKILL);
    return {};
  };
  const auto nested = [&](std::size_t) { return answers_of(1, 1, killed).front(); };
  CHECK_THROWS_AS(answers_of(1, 1, nested), TaskInterrupted);
}

TEST_CASE("a task that has a fault is not interrupted") {
  const auto task = [](std::size_t) -> std::string { std::abort(); };
  try {
    answers_of(1, 1, task);
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(dynamic_cast<const TaskInterrupted*>(&error) == nullptr);
  }
}

TEST_CASE("a task whose answer is kept is not run, and the answers of the others are kept") {
  struct Kept : KeptAnswers {
    std::vector<std::map<std::size_t, std::string>> groups = {{{0, "known 0"}, {3, "known 3"}}, {}};
    std::size_t group = 0;
    std::size_t asked = 0;
    std::map<std::size_t, std::string> known_of_next_group(std::size_t simulations) override {
      asked += simulations;
      return groups[group++];
    }
    void keep(std::size_t place, std::string_view answer) override { groups[group - 1][place] = answer; }
  } kept;
  const auto answers_of_group = [&] {
    std::vector<std::string> answers(4);
    forked<char>(
        4, 2, [](std::size_t index) { return static_cast<char>('a' + index); },
        [&](std::size_t index, char answer) { answers[index] = answer; }, {}, &kept);
    return answers;
  };
  CHECK(answers_of_group() == std::vector<std::string>{"k", "b", "c", "k"});
  CHECK(kept.groups[0] ==
        std::map<std::size_t, std::string>{{0, "known 0"}, {1, "b"}, {2, "c"}, {3, "known 3"}});
  CHECK(answers_of_group() == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(kept.groups[1].size() == 4);
  CHECK(kept.asked == 8);
}

TEST_CASE("a task that fails keeps nothing, and the answers before it are kept") {
  struct Kept : KeptAnswers {
    std::map<std::size_t, std::string> answers;
    std::map<std::size_t, std::string> known_of_next_group(std::size_t /*simulations*/) override {
      return answers;
    }
    void keep(std::size_t place, std::string_view answer) override { answers[place] = answer; }
  } kept;
  const auto task = [](std::size_t index) -> char {
    if (index == 1) ::raise(SIGKILL);
    return 'x';
  };
  CHECK_THROWS_AS(forked<char>(
                      3, 1, task, [](std::size_t, char) {}, {}, &kept),
                  TaskInterrupted);
  CHECK(kept.answers == std::map<std::size_t, std::string>{{0, "x"}});
}

TEST_CASE("host names are ordered by their numbers") {
  CHECK(platform::natural_less("node-2", "node-10"));
  CHECK(!platform::natural_less("node-10", "node-2"));
  CHECK(platform::natural_less("a9b1", "a9b2"));
  CHECK(platform::natural_less("a", "a0"));
  CHECK(platform::natural_less("node-02", "node-3"));
  CHECK(platform::natural_less("node-02", "node-2"));
  CHECK(!platform::natural_less("node-2", "node-02"));
  CHECK(!platform::natural_less("node-2", "node-2"));
}

TEST_CASE("two replays are identical to the last bit, and independent of the number of processes") {
  SmallPlatform platform(switched(4, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  std::vector<Body> ranks;
  for (int rank = 0; rank < 8; ++rank) {
    Body& iteration = ranks.emplace_back();
    iteration.begin_region(regions::receive);
    for (int peer = 0; peer < 8; ++peer) {
      if (peer != rank) iteration.add(transfer(TransferKind::receive, peer, 1000 + 17 * peer + rank));
    }
    iteration.add_region(regions::send, Work{1'000'000 * (rank + 3)});
    for (int peer = 0; peer < 8; ++peer) {
      if (peer != rank) iteration.add(transfer(TransferKind::send, peer, 1000 + 17 * rank + peer));
    }
    iteration.add_region(regions::wait, Complete::all());
  }
  const Schedule short_run = schedule_of_ranks(ranks, 2, 2);
  const Schedule long_run = schedule_of_ranks(ranks, 2, 50);
  const std::vector<ReplayJob> jobs{
      {&long_run, &*platform}, {&short_run, &*platform}, {&long_run, &*platform}};
  const auto one = replay_all(jobs, 1);
  const auto three = replay_all(jobs, 3);
  REQUIRE(one.size() == 3);
  for (std::size_t job = 0; job < 3; ++job) {
    CHECK(one[job].total_s == three[job].total_s);
    for (std::size_t rank = 0; rank < 8; ++rank) {
      CHECK(one[job].ranks[rank].finish_s == three[job].ranks[rank].finish_s);
      CHECK(one[job].ranks[rank].phases_s == three[job].ranks[rank].phases_s);
    }
  }
  CHECK(one[0].total_s == one[2].total_s);
  CHECK(one[1].total_s < one[0].total_s);
}
