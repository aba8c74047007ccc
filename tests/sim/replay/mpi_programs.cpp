// SPDX-License-Identifier: MIT
// What only programs of any kind have: work of which only the time is known, collectives, rendezvous,
// receives of any source.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "listed_programs.hpp"
#include "sim/collectives/decisions.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// One body a rank, done once.
class OncePrograms : public Programs {
 public:
  explicit OncePrograms(std::vector<Body> bodies) : bodies_(std::move(bodies)) {}
  int ranks() const override { return static_cast<int>(bodies_.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override {
    return std::make_unique<Cursor>(bodies_[static_cast<std::size_t>(rank)], work_s.at(rank));
  }
  std::span<const std::int32_t> communicator(std::int32_t number) const override {
    return communicators.at(number);
  }

  std::map<int, double> work_s;  ///< each rank's timed work
  std::map<std::int32_t, std::vector<std::int32_t>> communicators;

 private:
  class Cursor : public ProgramCursor {
   public:
    Cursor(const Body& body, double work_s) : regions_s_(body.regions.size(), work_s) {
      loop_ = {std::make_shared<const Body>(body), 1, regions_s_};
    }
    const Loop* next() override { return std::exchange(is_read_, true) ? nullptr : &loop_; }

   private:
    bool is_read_ = false;
    std::vector<double> regions_s_;
    Loop loop_{};
  };

  std::vector<Body> bodies_;
};

/// Seconds of work, then an operation and what waits for it.
Body works_then(const Operation& operation) {
  Body body;
  body.add_region(regions::compute, Work{.is_timed = true}).add_region(RegionName("MPI"), operation);
  if (makes_request(operation)) body.add(Complete::all());
  return body;
}

Post send(int peer, std::int64_t bytes) {
  return {.kind = TransferKind::send, .peer = peer, .size_bytes = bytes};
}
Post receive(int peer, std::int64_t bytes) {
  return {.kind = TransferKind::receive, .peer = peer, .size_bytes = bytes};
}

/// Each rank works so many seconds and then does its operation; ranks_per_node is 1.
class SmallRun {
 public:
  SmallRun(std::vector<Operation> operations, const std::vector<double>& work_s)
      : platform_(switched(static_cast<int>(operations.size()), "0us")), programs_(bodies_of(operations)) {
    for (std::size_t rank = 0; rank < work_s.size(); ++rank)
      programs_.work_s[static_cast<int>(rank)] = work_s[rank];
  }
  ReplayResult replay(const std::string& mpi = "openmpi-4.1", double compute_scale = 1) {
    const collectives::Decisions decisions(mpi);
    Schedule run;
    run.run.ranks = programs_.ranks();
    return replay_all({{.schedule = &run,
                        .platform = &*platform_,
                        .programs = &programs_,
                        .decisions = &decisions,
                        .compute_scale = compute_scale}},
                      1)
        .front();
  }
  platform::PlatformCosts& costs() { return platform_.costs(); }
  OncePrograms& programs() { return programs_; }

 private:
  static std::vector<Body> bodies_of(const std::vector<Operation>& operations) {
    std::vector<Body> bodies;
    for (const Operation& operation : operations)
      bodies.push_back(works_then(operation));
    return bodies;
  }

  SmallPlatform platform_;
  OncePrograms programs_;
};

}  // namespace

TEST_CASE("programs: work of which only the time is known takes that time, scaled") {
  SmallRun run({Complete::all()}, {2});
  CHECK(run.replay().total_s == Approx(2));
  const ReplayResult scaled = run.replay("openmpi-4.1", 0.25);
  CHECK(scaled.total_s == Approx(2 * 0.25));
  CHECK(scaled.regions[0] == std::vector<std::string>{"compute", "MPI"});
  CHECK(scaled.ranks[0].phases_s[0] == Approx(2 * 0.25));
}

TEST_CASE("programs: a function of which only the time is known takes it on any platform") {
  SmallRun run({Work{.is_timed = true}}, {3});  // three seconds of work, then three in the function
  CHECK(run.replay("openmpi-4.1", 0.25).total_s == Approx(3 * 0.25 + 3));
}

TEST_CASE("programs: a short message is on its way while its receiver works, a long one waits for it") {
  SmallRun run({send(1, megabyte), receive(0, megabyte)}, {0, 3});
  CHECK(run.replay().total_s == Approx(3));
  run.costs().eager_limit_bytes = 1e6;
  CHECK(run.replay().total_s == Approx(3));
  run.costs().eager_limit_bytes = 999'999;
  const ReplayResult late = run.replay();
  CHECK(late.ranks[1].finish_s == Approx(3 + 1));
  CHECK(late.ranks[0].finish_s == Approx(3 + 1));
}

TEST_CASE("programs: a long message whose receiver waits goes at once") {
  SmallRun run({send(1, megabyte), receive(0, megabyte)}, {2, 0});
  run.costs().eager_limit_bytes = 0;
  CHECK(run.replay().total_s == Approx(2 + 1));
}

TEST_CASE("programs: a synchronous send ends when its receive has begun, however short it is") {
  Post synchronous = send(1, 0);
  synchronous.is_synchronous = true;
  SmallRun run({synchronous, receive(0, 0)}, {0, 3});
  CHECK(run.replay().ranks[0].finish_s == Approx(3));
}

TEST_CASE("programs: a buffered send waits for nothing, however long it is, and leaves at once") {
  Post buffered = send(1, megabyte);
  buffered.is_buffered = true;
  SmallRun run({buffered, receive(0, megabyte)}, {0, 3});
  run.costs().eager_limit_bytes = 0;
  const ReplayResult result = run.replay();
  CHECK(result.ranks[0].finish_s == 0);
  CHECK(result.ranks[1].finish_s == Approx(3));
}

TEST_CASE("programs: an allreduce of two ranks is one exchange and one sum") {
  const Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 1'000'000};
  SmallRun run({sum, sum}, {0, 0.5});
  // The sum loads two vectors and stores one, at 12 GB/s.
  CHECK(run.replay().total_s == Approx(0.5 + 1 + 3e6 / 12e9).epsilon(1e-3));
}

TEST_CASE("programs: a barrier ends after its last rank has come, for all") {
  SmallRun run({Collective{}, Collective{}, Collective{}, Collective{}}, {1, 4, 2, 3});
  for (const RankReplay& rank : run.replay().ranks)
    CHECK(rank.finish_s == Approx(4).epsilon(1e-5));  // each of its messages is a byte
}

TEST_CASE("programs: a collective of some ranks keeps no other waiting") {
  const Collective of_odd{.communicator = 1};
  SmallRun run({Complete::all(), of_odd, Complete::all(), of_odd}, {9, 1, 0, 2});
  run.programs().communicators[1] = {3, 1};
  const ReplayResult result = run.replay();
  CHECK(result.ranks[1].finish_s == Approx(2).epsilon(1e-5));
  CHECK(result.ranks[2].finish_s == 0);
}

TEST_CASE("programs: a rank that calls a collective of others is an error") {
  const Collective of_odd{.communicator = 1};
  SmallRun run({of_odd, of_odd}, {0, 0});
  run.programs().communicators[1] = {1};
  CHECK_THROWS_WITH(run.replay(), Contains("rank 0") && Contains("a communicator that it is not in"));
}

TEST_CASE("programs: a broadcast of 16 ranks by a tree sends the vector 15 times") {
  const Collective broadcast{.kind = CollectiveKind::broadcast, .size_bytes = 1'000};
  SmallRun run(std::vector<Operation>(16, broadcast), std::vector<double>(16, 0));
  CHECK(run.replay().flows == 15);
}

TEST_CASE("programs: messages that come in another order than they were received are counted") {
  // Rank 0 received from rank 1 first, which sends later here.
  Post from_1 = receive(1, 8), from_2 = receive(2, 8);
  from_1.any_source = from_2.any_source = true;
  for (const bool in_order : {true, false}) {
    SmallRun run({from_1, send(0, 8), send(0, 8)}, {0, in_order ? 1. : 2., in_order ? 2. : 1.});
    OncePrograms& programs = run.programs();
    Body both;
    both.begin_region(RegionName("MPI")).add(from_1).add(from_2).add(Complete::all());
    programs = OncePrograms({both, works_then(send(0, 8)), works_then(send(0, 8))});
    programs.work_s = {{0, 0.}, {1, in_order ? 1. : 2.}, {2, in_order ? 2. : 1.}};
    const ReplayResult result = run.replay();
    CHECK(result.wildcards.count == 2);
    CHECK(result.wildcards.out_of_order == (in_order ? 0 : 1));
  }
}

TEST_CASE("programs: all algorithms of every collective end, on 1 to 9 ranks") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const CollectiveKind kind :
         {CollectiveKind::barrier, CollectiveKind::broadcast, CollectiveKind::gather, CollectiveKind::scatter,
          CollectiveKind::allgather, CollectiveKind::alltoall, CollectiveKind::reduce,
          CollectiveKind::allreduce, CollectiveKind::reduce_scatter_block, CollectiveKind::scan}) {
      for (const std::int64_t size_bytes : {std::int64_t{8}, std::int64_t{4096}, 4 * megabyte}) {
        CAPTURE(ranks, to_string(kind), size_bytes);
        const Collective collective{.kind = kind, .element_bytes = 8, .size_bytes = size_bytes};
        const auto count = static_cast<std::size_t>(ranks);
        SmallRun run(std::vector<Operation>(count, collective), std::vector<double>(count, 0));
        CHECK(run.replay().total_s >= 0);
      }
    }
  }
}

TEST_CASE("programs: sends that rely on buffering are named where eager_limit is too low for them") {
  const auto head_to_head = [](std::int64_t bytes, bool is_synchronous) {
    std::vector<Calls> ranks;
    for (int rank = 0; rank < 2; ++rank)
      ranks.push_back({{Post{.kind = TransferKind::send,
                             .blocking = true,
                             .is_synchronous = is_synchronous,
                             .peer = 1 - rank,
                             .tag = 7,
                             .size_bytes = bytes}},
                       {Post{.kind = TransferKind::receive,
                             .blocking = true,
                             .peer = 1 - rank,
                             .tag = 7,
                             .size_bytes = bytes}}});
    return ListedPrograms(std::move(ranks));
  };
  SmallPlatform platform(switched(2));
  platform.costs().eager_limit_bytes = 4000;
  CHECK(replay_programs(head_to_head(4000, false), *platform).total_s == Approx(4e-3));
  platform.costs().eager_limit_bytes = 3999;
  for (const int ranks_per_node : {1, 2}) {  // between nodes, and within one
    CHECK_THROWS_WITH(
        replay_programs(head_to_head(4000, false), *platform, {}, ranks_per_node),
        Contains("because sends rely on buffering: rank 0 in MPI (4000 B to rank 1, tag 7), rank 1 in "
                 "MPI (4000 B to rank 0, tag 7)") &&
            !Contains("thread"));
    // Such a program hangs whatever is buffered.
    CHECK_THROWS_WITH(replay_programs(head_to_head(4000, true), *platform, {}, ranks_per_node),
                      Contains("a message, a barrier") && !Contains("buffering"));
  }
}

TEST_CASE("programs: a send that nobody receives does not rely on buffering") {
  SmallPlatform platform(switched(2));
  platform.costs().eager_limit_bytes = 10;
  const ListedPrograms programs(
      {{{Post{.kind = TransferKind::send, .blocking = true, .peer = 1, .size_bytes = 100}}, {Collective{}}},
       {{Collective{}}}});
  CHECK_THROWS_WITH(replay_programs(programs, *platform),
                    Contains("a message, a barrier") && !Contains("thread"));
}

TEST_CASE("calls on files take what they took in the recording, and that is said where it counts") {
  ReplayResult result;
  result.regions = {{"compute", "MPI_File_open io.c:7"}, {"compute", "MPI_File_open io.c:7"}};
  result.ranks.resize(2);
  result.ranks[0].phases_s = {1, 0.3};
  result.ranks[1].phases_s = {1, 0.05};
  result.total_s = 10;
  CHECK_THAT(describe_kept_calls(result), Contains("MPI_File_open takes the time that the recording has"));
  CHECK_THAT(describe_kept_calls(result), Contains("0.3 s on rank 0"));
  result.total_s = 100;
  CHECK(describe_kept_calls(result).empty());
}
