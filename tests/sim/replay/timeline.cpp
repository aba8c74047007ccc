// SPDX-License-Identifier: MIT
#include "sim/replay/timeline.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "listed_programs.hpp"
#include "sim/replay/timeline_file.hpp"
#include "small_platform.hpp"
#include "small_programs.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

Body timed_sender(double work_s, int peer) {
  Body iteration = one_region(regions::pack, Work{static_cast<std::int64_t>(work_s * second_of_memory)});
  iteration.begin_region(regions::send);
  iteration.add(transfer(TransferKind::send, peer, megabyte));
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

Body timed_receiver(double work_s, int peer) {
  Body iteration = one_region(regions::receive, {transfer(TransferKind::receive, peer, megabyte)});
  iteration.add_region(regions::copy, Work{static_cast<std::int64_t>(work_s * second_of_memory)});
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

std::vector<Schedule> every_program() {
  const test::MatrixPattern matrix = small_matrix();
  std::vector<Schedule> schedules = {heat_schedule(small_heat_run())};
  for (Run run : small_spmv_runs()) {
    run.iterations = 3;
    schedules.push_back(spmv_schedule(matrix.view(), run));
  }
  return schedules;
}

/// The timeline of a program on nodes of one rank each.
Timeline whole_timeline_of(const Programs& programs, const platform::Platform& platform) {
  const collectives::Decisions decisions("openmpi-4.1");
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = 1;
  return replay_timeline(
      {.schedule = &run, .platform = &platform, .programs = &programs, .decisions = &decisions});
}

double length_s(const PathPiece& piece) {
  return piece.end_s - piece.start_s;
}

}  // namespace

TEST_CASE("critical path: from the sender's work over the message to the receiver's wait") {
  SmallPlatform platform(switched(2, "3us"));
  const Timeline timeline =
      replay_timeline(schedule_of_ranks({timed_sender(1, 1), timed_receiver(0.5, 0)}, 1), *platform, 1);
  CHECK(timeline.makespan_s == Approx(1. + 1. / 1 + 2 * 3e-6).epsilon(1e-12));
  REQUIRE(timeline.critical_path.size() == 2);
  const PathPiece& work = timeline.critical_path[0];
  CHECK(work.kind == PathPiece::Kind::busy);
  CHECK(work.rank == 0);
  CHECK(work.phase == 0);
  CHECK(work.start_s == 0);
  CHECK(work.end_s == Approx(1.).epsilon(1e-12));
  const PathPiece& message = timeline.critical_path[1];
  CHECK(message.kind == PathPiece::Kind::transfer);
  CHECK(message.rank == 1);
  CHECK(message.peer == 0);
  CHECK(message.phase == 2);
  CHECK(message.end_s == Approx(timeline.makespan_s).epsilon(1e-12));
}

TEST_CASE("critical path: a message that came during the work is not on it") {
  SmallPlatform platform(switched(2, "3us"));
  const Timeline timeline =
      replay_timeline(schedule_of_ranks({timed_sender(1, 1), timed_receiver(5, 0)}, 1), *platform, 1);
  REQUIRE(timeline.critical_path.size() == 1);
  CHECK(timeline.critical_path[0].rank == 1);
  CHECK(timeline.critical_path[0].phase == 1);
  CHECK(timeline.critical_path[0].end_s == Approx(5.).epsilon(1e-12));
}

TEST_CASE("critical path: over a barrier it goes to the rank that came last") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 0.25;
  const auto works = [](std::int64_t before_s, std::int64_t after_s) {
    Body iteration = one_region(regions::pack, Work{before_s * second_of_memory});
    iteration.add_region(regions::barrier, Collective{});
    iteration.add_region(regions::compute, Work{after_s * second_of_memory});
    return iteration;
  };
  const Timeline timeline = replay_timeline(schedule_of_ranks({works(1, 4), works(3, 1)}, 1), *platform, 1);
  const double barrier_s = 0.25 + 2 * 3e-6;  // one round between two nodes
  CHECK(timeline.makespan_s == Approx(3 + barrier_s + 4).epsilon(1e-12));
  REQUIRE(timeline.critical_path.size() == 3);
  CHECK(timeline.critical_path[0].rank == 1);
  CHECK(timeline.critical_path[1].kind == PathPiece::Kind::barrier);
  CHECK(timeline.critical_path[1].end_s - timeline.critical_path[1].start_s ==
        Approx(barrier_s).epsilon(1e-9));
  CHECK(timeline.critical_path[2].rank == 0);
  CHECK(timeline.critical_path[2].phase == 2);
  // Where ranks leave in rounds, the one that came last does so at once.
  platform.costs().replies_wait = true;
  const Timeline in_rounds = replay_timeline(schedule_of_ranks({works(1, 1), works(3, 4)}, 1), *platform, 1);
  CHECK(in_rounds.makespan_s == Approx(3 + 4).epsilon(1e-12));
  CHECK(in_rounds.critical_path.back().end_s == Approx(3 + 4).epsilon(1e-9));
}

TEST_CASE("timeline: messages and links carry the bytes of the schedule, and a NIC is known by its node") {
  SmallPlatform platform(switched(3));
  // Rank 0 on the first node, 1 on the second, 2 on the third; puts of 1 MB to both others.
  const Timeline timeline = replay_timeline(
      schedule_of_ranks({one_region(regions::put, {blocking(transfer(TransferKind::put, 1, megabyte)),
                                                   blocking(transfer(TransferKind::put, 2, 2 * megabyte))}),
                         idle(), idle()},
                        1),
      *platform, 2);
  REQUIRE(timeline.messages.size() == 2 * 2);
  CHECK(timeline.messages[1].from == 0);
  CHECK(timeline.messages[1].to == 2);
  CHECK(timeline.messages[1].bytes == 2 * megabyte);
  CHECK(timeline.messages[1].start_s == Approx(1.).epsilon(1e-9));
  CHECK(timeline.messages[1].end_s == Approx(1. + 2).epsilon(1e-9));
  std::map<int, double> bytes_of_node;
  for (const LinkUse& link : timeline.links)
    bytes_of_node[link.node] += link.bytes;
  CHECK(bytes_of_node == std::map<int, double>{{0, 2 * 3e6}, {1, 2 * 1e6}, {2, 2 * 2e6}});
}

TEST_CASE("timeline: a local message has its bytes, and no link") {
  SmallPlatform platform(switched(1));
  const Timeline timeline =
      replay_timeline(schedule_of_ranks({timed_sender(0, 1), timed_receiver(0, 0)}, 2), *platform, 1);
  REQUIRE(timeline.messages.size() == 1);
  CHECK(timeline.messages[0].bytes == megabyte);
  CHECK(timeline.links.empty());
}

TEST_CASE("critical path: of every program, as long as the simulated run, and without a gap") {
  // Without a rendezvous, with some, and with nothing else; with replies at once, and behind data.
  for (const auto& [eager_limit_bytes, replies_wait] :
       std::initializer_list<std::pair<std::optional<double>, bool>>{
           {std::nullopt, false}, {500., false}, {0., false}, {std::nullopt, true}, {500., true}}) {
    for (const Schedule& schedule : every_program()) {
      CAPTURE(describe(schedule.run), eager_limit_bytes.value_or(-1), replies_wait);
      SmallPlatform platform(fat_tree);
      charge_messages(platform);
      platform.costs().replies_wait = replies_wait;
      platform.costs().eager_limit_bytes = eager_limit_bytes;
      if (eager_limit_bytes == 500.) platform.costs().buffered_limit_bytes = replies_wait ? 1000 : 100;
      if (eager_limit_bytes == 0.) platform.costs().buffered_limit_bytes = 800;
      const Timeline timeline = replay_timeline(schedule, *platform, schedule.run.iterations);
      const ReplayResult result = replay::replay(schedule, *platform, {.repeat_tolerance = 0});
      CHECK(timeline.makespan_s == result.total_s);
      REQUIRE(!timeline.critical_path.empty());
      CHECK(timeline.critical_path.back().end_s == Approx(result.total_s).epsilon(1e-9));
      double reached_s = 0;
      for (const PathPiece& piece : timeline.critical_path) {
        CHECK(piece.start_s == reached_s);
        CHECK(piece.end_s > piece.start_s);
        reached_s = piece.end_s;
      }
      std::vector<std::vector<double>> phases_s;
      for (const RankReplay& rank : result.ranks)
        phases_s.emplace_back(rank.phases_s.size());
      for (const PhaseSpan& span : timeline.phases)
        phases_s[static_cast<std::size_t>(span.rank)][static_cast<std::size_t>(span.phase)] +=
            span.end_s - span.start_s;
      for (std::size_t rank = 0; rank < phases_s.size(); ++rank)
        CHECK_THAT(phases_s[rank], Catch::Matchers::Approx(result.ranks[rank].phases_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("critical path of a program: the late rank's work, its message, and what the receiver does then") {
  SmallPlatform platform(switched(2, "3us"));
  const ListedPrograms programs(
      {{{transfer(TransferKind::send, 1, megabyte), 3}, {Complete::all(), 0}},
       {{transfer(TransferKind::receive, 0, megabyte), 1}, {Complete::all(), 0}, {Complete::all(), 2}}});
  const Timeline timeline = whole_timeline_of(programs, *platform);
  const double message_s = 1. + 2 * 3e-6;
  CHECK(timeline.makespan_s == Approx(3 + message_s + 2).epsilon(1e-12));
  REQUIRE(timeline.critical_path.size() == 3);
  const auto& [work, message, after] =
      std::tie(timeline.critical_path[0], timeline.critical_path[1], timeline.critical_path[2]);
  CHECK(work.rank == 0);
  CHECK(length_s(work) == Approx(3.).epsilon(1e-12));
  CHECK(timeline.regions[0][static_cast<std::size_t>(work.phase)] == "compute");
  CHECK(message.kind == PathPiece::Kind::transfer);
  CHECK(message.rank == 1);
  CHECK(message.peer == 0);
  CHECK_FALSE(message.is_outgoing);
  CHECK(length_s(message) == Approx(message_s).epsilon(1e-12));
  CHECK(timeline.regions[1][static_cast<std::size_t>(message.phase)] == "MPI");
  CHECK(timeline.path_links == std::vector<std::string>{"c_link_*_UP"});
  CHECK(message.links == 0);
  CHECK(after.rank == 1);
  CHECK(length_s(after) == Approx(2.).epsilon(1e-12));
}

TEST_CASE("critical path of a program: after a collective, each wait is for its own message") {
  SmallPlatform platform(switched(2, "3us"));
  // The receive is posted before the barrier, whose messages come and go, and is complete long after it.
  const ListedPrograms programs(
      {{{Collective{}, 0}, {transfer(TransferKind::send, 1, megabyte), 5}, {Complete{1, 1}, 0}},
       {{transfer(TransferKind::receive, 0, megabyte), 0}, {Collective{}, 0}, {Complete{1, 1}, 1}}});
  const Timeline timeline = whole_timeline_of(programs, *platform);
  double transfers_s = 0;
  for (const PathPiece& piece : timeline.critical_path) {
    CHECK(piece.kind != PathPiece::Kind::other);
    if (piece.kind == PathPiece::Kind::transfer) transfers_s += length_s(piece);
  }
  const double barrier_s = 2 * 3e-6 + 1e-6;  // a message of one byte, which is on its way at 1 MB/s
  CHECK(timeline.makespan_s == Approx(barrier_s + 5 + 1 + 2 * 3e-6).epsilon(1e-9));
  CHECK(transfers_s == Approx(barrier_s + 1 + 2 * 3e-6).epsilon(1e-9));
}

TEST_CASE("critical path of a program: a nonblocking collective is a wait that is not followed") {
  SmallPlatform platform(switched(2, "3us"));
  const Collective barrier{.blocking = false};
  const ListedPrograms programs({{{barrier, 4}, {Complete::all(), 0}}, {{barrier, 1}, {Complete::all(), 0}}});
  const Timeline timeline = whole_timeline_of(programs, *platform);
  REQUIRE(!timeline.critical_path.empty());
  CHECK(timeline.critical_path.back().kind == PathPiece::Kind::other);
  double reached_s = 0;
  for (const PathPiece& piece : timeline.critical_path) {
    CHECK(piece.start_s == reached_s);
    reached_s = piece.end_s;
  }
  CHECK(reached_s == Approx(timeline.makespan_s).epsilon(1e-12));
}

TEST_CASE("timeline: as a file it has each phase of each rank, and a send's arrow is its receive's") {
  SmallPlatform platform(switched(2, "3us"));
  const Schedule schedule = schedule_of_ranks({timed_sender(1, 1), timed_receiver(0.5, 0)}, 1, 2);
  const Timeline timeline = replay_timeline(schedule, *platform, 2);
  const auto file = std::filesystem::temp_directory_path() / fmt::format("timeline-{}.json", ::getpid());
  write_timeline(timeline, schedule, problem::Placement(2, 1), file);
  const nlohmann::json events = nlohmann::json::parse(std::ifstream(file)).at("traceEvents");
  std::map<std::string, int> counts;
  std::map<std::string, std::set<std::string>> arrows;
  for (const auto& event : events) {
    const std::string type = event.at("ph");
    ++counts[type];
    if (type == "s" || type == "f") arrows[type].insert(event.at("id"));
  }
  CHECK(counts["X"] == 2 * (3 + 3));
  CHECK(counts["b"] == 2 * (1 + 1));
  CHECK(arrows["s"].size() == 2);
  CHECK(arrows["s"] == arrows["f"]);
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(write_timeline(timeline, schedule, problem::Placement(2, 1), "timeline.txt"),
                    Catch::Matchers::Contains(".json"));
}
