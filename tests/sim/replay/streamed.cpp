// SPDX-License-Identifier: MIT
// Programs whose iterations differ: read loop by loop, while they are simulated.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <memory>

#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "small_programs.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// Makes a rank's iterations one by one.
using MakeBody = std::function<Body(int rank, std::int64_t iteration)>;

class MadeCursor : public ProgramCursor {
 public:
  MadeCursor(const MakeBody& make, int rank, std::int64_t iterations)
      : make_(make), rank_(rank), iterations_(iterations) {}
  const Loop* next() override {
    if (done_ == iterations_) return nullptr;
    loop_ = {std::make_shared<const Body>(make_(rank_, done_++)), 1};
    return &loop_;
  }

 private:
  const MakeBody& make_;
  int rank_;
  std::int64_t iterations_;
  std::int64_t done_ = 0;
  Loop loop_{};
};

class MadePrograms : public Programs {
 public:
  MadePrograms(int ranks, std::int64_t iterations, MakeBody make)
      : ranks_(ranks), iterations_(iterations), make_(std::move(make)) {}
  int ranks() const override { return ranks_; }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<MadeCursor>(make_, rank, iterations_);
  }

 private:
  int ranks_;
  std::int64_t iterations_;
  MakeBody make_;
};

/// The programs of a run that was killed: each rank's recording has so many iterations.
class KilledPrograms : public Programs {
 public:
  KilledPrograms(std::vector<std::int64_t> iterations, MakeBody make)
      : iterations_(std::move(iterations)), make_(std::move(make)) {}
  int ranks() const override { return static_cast<int>(iterations_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<Cursor>(make_, rank, iterations_[static_cast<std::size_t>(rank)]);
  }

 private:
  class Cursor : public MadeCursor {
   public:
    using MadeCursor::MadeCursor;
    bool ends_early() const override { return true; }
  };

  std::vector<std::int64_t> iterations_;
  MakeBody make_;
};

ReplayResult replay_streamed(const Programs& programs, Platform& platform, int ranks_per_node,
                             const ReplayOptions& options = {}) {
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = ranks_per_node;
  return replay_all({{.schedule = &run, .platform = &platform, .programs = &programs}}, 1, options).front();
}

/// Rank 0 works, then sends rank 1 the iteration's number in megabytes.
Body sends_ever_more(int rank, std::int64_t iteration) {
  const std::int64_t bytes = (iteration + 1) * megabyte;
  const auto kind = rank == 0 ? TransferKind::send : TransferKind::receive;
  return one_region(rank == 0 ? regions::send : regions::receive, {transfer(kind, 1 - rank, bytes)})
      .add_region(regions::wait, Complete::all());
}

/// A ring: each rank sends to the next and receives from the one before.
MakeBody ring(int ranks, int messages) {
  return [=](int rank, std::int64_t iteration) {
    Body body;
    body.begin_region(regions::receive);
    for (int m = 0; m < messages; ++m)
      body.add(transfer(TransferKind::receive, (rank + ranks - 1) % ranks, 1000 + iteration % 1001));
    body.begin_region(regions::send);
    for (int m = 0; m < messages; ++m)
      body.add(transfer(TransferKind::send, (rank + 1) % ranks, 1000 + iteration % 1001));
    return body.add_region(regions::wait, Complete::all());
  };
}

}  // namespace

TEST_CASE("streamed: a message of another size in each iteration takes its own time") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_streamed(MadePrograms(2, 3, sends_ever_more), *platform, 1);
  CHECK(result.ranks[0].finish_s == Approx(1. + 2. + 3.).epsilon(1e-12));
  CHECK(result.ranks[1].finish_s == Approx(1. + 2. + 3. + 2 * 3e-6).epsilon(1e-12));
  CHECK(result.regions[0] == std::vector<std::string>{"send", "wait"});
  CHECK(result.ranks[0].phases_s[1] == Approx(1. + 2. + 3.).epsilon(1e-12));
  CHECK(result.simulated_iterations == 3);
  CHECK(result.flows == 3);
}

TEST_CASE("streamed: regions are summed up by name, and by their number in the iteration") {
  SmallPlatform platform(switched(1));
  const auto works = [](int /*rank*/, std::int64_t iteration) {
    Body body = one_region(regions::compute, Work{second_of_memory});
    if (iteration == 1) body.add_region(RegionName("own"), Work{second_of_memory / 2});
    if (iteration == 2) body.add_region(regions::compute, Work{2 * second_of_memory});
    return body;
  };
  const auto result = replay_streamed(MadePrograms(1, 4, works), *platform, 1);
  CHECK(result.regions[0] == std::vector<std::string>{"compute", "own", "compute"});
  CHECK(result.ranks[0].phases_s[0] == Approx(4 * 1.));
  CHECK(result.ranks[0].phases_s[1] == Approx(0.5));
  CHECK(result.ranks[0].phases_s[2] == Approx(2.));
  CHECK(result.total_s == Approx(4 * 1. + 0.5 + 2.));
}

TEST_CASE("streamed: a program of one loop takes as long as its schedule, in all programs, digit by digit") {
  SmallPlatform platform(fat_tree);
  charge_messages(platform);
  const test::MatrixPattern matrix = small_matrix();
  std::vector<Schedule> schedules = {heat_schedule(small_heat_run())};
  for (const Run& run : small_spmv_runs())
    schedules.push_back(spmv_schedule(matrix.view(), run));
  for (Schedule& schedule : schedules) {
    CAPTURE(describe(schedule.run));
    schedule.run.iterations = 3;
    const ReplayResult whole = replay::replay(schedule, *platform, {0});
    const ReplayResult streamed =
        replay_streamed(SchedulePrograms(schedule), *platform, schedule.run.ranks_per_node);
    CHECK(streamed.total_s == whole.total_s);
    for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank)
      CHECK(streamed.ranks[rank].finish_s == whole.ranks[rank].finish_s);
  }
}

TEST_CASE("streamed: a rank may wait for a request of an earlier iteration, alone") {
  SmallPlatform platform(switched(2));
  // Rank 0 expects 1 MB and 3 MB, then waits for the first of them, works, and waits for the rest.
  const auto make = [](int rank, std::int64_t iteration) {
    if (rank == 1) {
      return iteration > 0 ? idle()
                           : one_region(regions::send, {transfer(TransferKind::send, 0, megabyte),
                                                        transfer(TransferKind::send, 0, 3 * megabyte)})
                                 .add(Complete::all());
    }
    if (iteration == 0)
      return one_region(regions::receive, {transfer(TransferKind::receive, 1, megabyte),
                                           transfer(TransferKind::receive, 1, 3 * megabyte)});
    if (iteration == 1) return Body{}.add_region(RegionName("first"), Complete{.oldest = 2, .count = 1});
    return Body{}.add_region(RegionName("rest"), Complete::all());
  };
  const auto result = replay_streamed(MadePrograms(2, 3, make), *platform, 1);
  REQUIRE(result.regions[0] == std::vector<std::string>{"receive", "first", "rest"});
  CHECK(result.ranks[0].phases_s[1] == Approx(2.));  // half the rate each, until the first is through
  CHECK(result.ranks[0].phases_s[2] == Approx(2.));
}

TEST_CASE("streamed: ranks that wait for one another forever are an error") {
  SmallPlatform platform(switched(2));
  const auto meets = [](int rank, std::int64_t) {
    return rank == 0 ? Body{}.add_region(regions::barrier, Collective{}) : idle();
  };
  CHECK_THROWS_WITH(replay_streamed(MadePrograms(2, 1, meets), *platform, 1),
                    Contains("wait for one another forever"));
  ReplayOptions options;
  options.one_flow_per_message = true;
  CHECK_THROWS_WITH(replay_streamed(MadePrograms(2, 1, sends_ever_more), *platform, 1, options),
                    Contains("iterations differ"));
}

TEST_CASE("streamed: a killed run is simulated to the end of each rank's recording") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_streamed(KilledPrograms({3, 2}, sends_ever_more), *platform, 1);
  CHECK(result.total_s == Approx(1. + 2. + 3.).epsilon(1e-12));
  CHECK(result.early_end.ranks == 2);
  CHECK(result.early_end.first_rank == 1);
  CHECK(result.early_end.first_s == Approx(1. + 2. + 2 * 3e-6).epsilon(1e-12));
  CHECK(result.early_end.waiting.empty());
}

TEST_CASE("streamed: a rank of a killed run that waits for what was not recorded ends there, and is named") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_streamed(KilledPrograms({1, 3}, sends_ever_more), *platform, 1);
  CHECK(result.total_s == Approx(1. + 2 * 3e-6).epsilon(1e-12));
  CHECK(result.early_end.ranks == 1);
  CHECK(result.early_end.first_rank == 0);
  CHECK(result.early_end.waiting == "rank 1 in wait");
  CHECK_THAT(
      describe(result.early_end, result.total_s),
      Contains(
          "rank 0 end first, at 1 s; simulated up to 1.00001 s; waiting for what the trace lacks: rank 1"));
}

TEST_CASE("streamed: a killed run without a call is an error") {
  SmallPlatform platform(switched(2));
  CHECK_THROWS_WITH(replay_streamed(KilledPrograms({0, 0}, sends_ever_more), *platform, 1),
                    Contains("no rank recorded a call"));
}

TEST_CASE("streamed: memory does not grow with the number of operations") {
  SmallPlatform platform(switched(4, "1us"));
  const auto most_kib = [&](std::int64_t iterations) {
    constexpr int messages = 50;
    const auto result = replay_streamed(MadePrograms(4, iterations, ring(4, messages)), *platform, 1);
    CHECK(result.flows == 4 * messages * iterations);
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return used.ru_maxrss;
  };
  [[maybe_unused]] const long of_few = most_kib(10);
  [[maybe_unused]] const long of_many =
      most_kib(4000);                  // 4 ranks x 4,000 iterations x 101 operations: 90 MB of operations
#ifndef __SANITIZE_ADDRESS__           // which keeps what is freed for a while
  CHECK(of_many < of_few + 8 * 1024);  // 4 MB of them are kept to look for loops
#endif
}
