// SPDX-License-Identifier: MIT
// The critical path of recorded programs.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "listed_programs.hpp"
#include "sim/replay/observers/step_log.hpp"
#include "sim/replay/path_waits.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

ProgramTimeline timeline_of(const Programs& programs, const platform::Platform& platform,
                            int ranks_per_node) {
  const collectives::Decisions decisions("openmpi-4.1");
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = ranks_per_node;
  return replay_program_timeline(
      {.schedule = &run, .platform = &platform, .programs = &programs, .decisions = &decisions}, 0, 1e9, {},
      WithPath::yes);
}

Post message(TransferKind kind, int peer, bool blocking) {
  return {.kind = kind, .blocking = blocking, .peer = peer, .size_bytes = megabyte};
}

/// Rank r works r + 1 seconds before each call, and sends its neighbours messages in all ways.
Calls calls_of(int rank, int ranks) {
  const int next = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  const double work_s = rank + 1.;
  const Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = megabyte};
  Collective posted = sum;
  posted.blocking = false;
  return {{message(TransferKind::receive, before, false)},
          {message(TransferKind::send, next, false), work_s},
          {sum, work_s},
          {Complete{.oldest = 2, .count = 2}, work_s},
          {posted},
          {message(TransferKind::receive, before, false)},
          {message(TransferKind::send, next, true), work_s},
          {Complete::all(), work_s}};
}

TEST_CASE("critical path: where the steps are too many, a program is not told to use --iterations") {
  const auto error_of = [](StepLog::Of of) -> std::string {
    StepLog log(1, of, 2);
    log.iteration_began(0);
    try {
      for (int step = 0; step < 3; ++step)
        log.step_done(0, Step(Step::Kind::delay), 0);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(error_of(StepLog::Of::program), Catch::Contains("more than 2 steps") &&
                                                 Catch::Contains("Record a shorter run") &&
                                                 !Catch::Contains("iterations"));
  CHECK_THAT(error_of(StepLog::Of::schedule), Catch::Contains("Ask for fewer iterations"));
}

}  // namespace

TEST_CASE("critical path: of a program, from the sender's work to the receiver's wait") {
  SmallPlatform platform(switched(2));
  const ListedPrograms programs({{{message(TransferKind::send, 1, true), 2}},
                                 {{message(TransferKind::receive, 0, true), 1}, {Complete::all(), 4}}});
  const ProgramTimeline timeline = timeline_of(programs, *platform, 1);
  CHECK(timeline.makespan_s == Approx(2 + 1 + 4));
  REQUIRE(timeline.critical_path.size() == 3);
  CHECK(timeline.critical_path[0].rank == 0);
  CHECK(timeline.regions[0][static_cast<std::size_t>(timeline.critical_path[0].phase)] == "compute");
  CHECK(timeline.critical_path[0].end_s == Approx(2.));
  CHECK(timeline.critical_path[1].kind == PathPiece::Kind::transfer);
  CHECK(timeline.critical_path[1].rank == 1);
  CHECK(timeline.critical_path[1].peer == 0);
  CHECK(timeline.regions[1][static_cast<std::size_t>(timeline.critical_path[1].phase)] == "MPI");
  CHECK(timeline.critical_path[2].rank == 1);
  CHECK(timeline.critical_path[2].end_s == Approx(2. + 1 + 4));
}

TEST_CASE("critical path: of a program, as long as its simulation, and without a gap") {
  for (const int ranks_per_node : {1, 2, 4}) {
    for (const std::optional<double> eager_limit : {std::optional<double>(), std::optional(0.)}) {
      CAPTURE(ranks_per_node, eager_limit.has_value());
      SmallPlatform platform(switched(4 / ranks_per_node, "3us"));
      platform.costs().message_overhead_s = 1e-3;
      platform.costs().eager_limit_bytes = eager_limit;
      std::vector<Calls> calls;
      for (int rank = 0; rank < 4; ++rank)
        calls.push_back(calls_of(rank, 4));
      const ListedPrograms programs(std::move(calls));
      const ProgramTimeline timeline = timeline_of(programs, *platform, ranks_per_node);
      CHECK(timeline.makespan_s ==
            replay_programs(programs, *platform, {.repeat_tolerance = 0}, ranks_per_node).total_s);
      double reached_s = 0;
      for (const PathPiece& piece : timeline.critical_path) {
        CHECK(piece.start_s == reached_s);
        CHECK(piece.end_s > piece.start_s);
        reached_s = piece.end_s;
      }
      CHECK(reached_s == Approx(timeline.makespan_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("critical path: a receive waits for the sender's work and its message, and says of whom") {
  SmallPlatform platform(switched(2));
  const ListedPrograms programs({{{message(TransferKind::send, 1, true), 2}},
                                 {{message(TransferKind::receive, 0, true), 1}, {Complete::all(), 4}}});
  const ProgramTimeline timeline = timeline_of(programs, *platform, 1);
  const std::vector<PathWait> waits = path_waits(timeline.critical_path, [&](std::int32_t rank,
                                                                             std::int32_t region) {
    return fmt::format(
        "{} {}", timeline.regions[static_cast<std::size_t>(rank)][static_cast<std::size_t>(region)], rank);
  });
  // Rank 1 waits from 1 s until 3 s: rank 0 works for a second more, and the message takes one.
  REQUIRE(waits.size() == 1);
  CHECK(waits.front().waited_s == Approx(3. - 1));
  CHECK(waits.front().text(timeline.makespan_s) == "29 % of the way: MPI 1 waits for MPI 0 of rank 0");
}

TEST_CASE("critical path: waits at one place are summed up, and the rank that was awaited longest is named") {
  const PathPiece piece{PathPiece::Kind::transfer, 0, 1, false, 0, 0, 0, 1, -1, 0, 0, 0.25};
  std::vector<PathPiece> pieces(4, piece);
  pieces[1].peer = pieces[2].peer = 2;
  pieces[1].waits_since_s = 1, pieces[1].waits_until_s = 1.5;
  pieces[2].waits_since_s = 1.25, pieces[2].waits_until_s = 1.75;
  pieces[3].peer_phase = -1;  // for nothing that another rank did
  const std::vector<PathWait> waits = path_waits(
      pieces, [](std::int32_t rank, std::int32_t /*phase*/) { return rank == 0 ? "wait" : "send"; });
  REQUIRE(waits.size() == 1);
  CHECK(waits.front().waited_s == 0.25 + 0.75);
  CHECK(waits.front().longest_awaited_rank == 2);
  CHECK(waits.front().text(10) == "10 % of the way: wait waits for send of rank 2 and 1 other rank");
  CHECK(waits.front().text(20) == "5.0 % of the way: wait waits for send of rank 2 and 1 other rank");
}

TEST_CASE("critical path: ranks of a pipeline that wait at the same time do not wait longer than it takes") {
  // Each rank receives, works for 1 s and sends on.
  SmallPlatform platform(switched(4));
  std::vector<Calls> calls;
  for (int rank = 0; rank < 4; ++rank) {
    Calls& own = calls.emplace_back();
    if (rank > 0) own.push_back({message(TransferKind::receive, rank - 1, true), 0});
    if (rank < 3) own.push_back({message(TransferKind::send, rank + 1, true), 1});
  }
  const ProgramTimeline timeline = timeline_of(ListedPrograms(calls), *platform, 1);
  const std::vector<PathWait> waits =
      path_waits(timeline.critical_path, [](std::int32_t, std::int32_t) { return "MPI"; });
  REQUIRE(waits.size() == 1);
  // Ranks 1 and 2 wait from the beginning until 2 and 4 s; the path ends at 6 s with what rank 2 sends.
  CHECK(timeline.makespan_s == Approx(6));
  CHECK(waits.front().waited_s == Approx(4));
}
