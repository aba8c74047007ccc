// SPDX-License-Identifier: MIT
#include "sim/study/run_study.hpp"

#include <pthread.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "../pattern/schedules.hpp"
#include "../replay/shared_link.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/policy/closed_form.hpp"
#include "tests/sim/study/small_study.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::study;

namespace {

const std::string axes = R"(
[axes]
platform = "four.xml"
matrix = "m.fgm"
policy = ["naive", "individual", "condensed"]
ranks = [2, 4, 9]
ranks_per_node = 2
set = [{}, {link_bandwidth = "x2", remote_bandwidth = "x2"}]
)";

/// Runs a study; what was simulated, by number.
std::map<std::int64_t, Answer> run(const test::SmallStudy& small, const StudyFile& study,
                                   const JobsReader& jobs = {}) {
  std::map<std::int64_t, Answer> simulated;
  run_study({.study = study,
             .database = small / "s.sqlite",
             .shard = {},
             .processes = 2,
             .answered_by = "test",
             .replay = {},
             .jobs = jobs},
            {.opened = [](std::int64_t, std::int64_t, std::int64_t) {},
             .computing = [](std::size_t, std::size_t) {},
             .closed_forms = [](std::size_t, std::size_t) {},
             .simulating = [](std::size_t, std::size_t) {},
             .simulated = [&](const StudyPoint& point, const Answer& answer,
                              std::size_t) { simulated.emplace(point.number, answer); }});
  return simulated;
}

/// Two jobs of two ranks each. Rank 0 puts a gigabyte, of both jobs from node 0.
JobsReader two_puts() {
  JobsReader reader;
  reader.open = [](const JobsValue& value) {
    return StudyJobs{.value = value, .digest = "d", .ranks = 4, .on_nodes = {{0, 2}, {1, 1}, {2, 1}}};
  };
  reader.prepare = [](const StudyJobs& /*jobs*/, const platform::Platform& platform,
                      const std::string& /*collective*/, double /*compute_scale*/, const auto& use) {
    const Schedule schedule = puts(1000 * megabyte);
    const replay::ReplayJob job{.schedule = &schedule, .platform = &platform};
    use(std::vector<replay::SharedJob>{{job, {0, 1}}, {job, {0, 2}, 0.5}});
  };
  return reader;
}

}  // namespace

TEST_CASE("a point of jobs has the last end of all, each job's times, and the worst slow-down") {
  const test::SmallStudy small;
  const StudyFile study = small.read(
      "version = 1\noversubscribe = true\n[axes]\njobs = [\"a@nodes=0-1\", \"b@nodes=0+2\"]\nplatform = "
      "\"four.xml\"\n"
      "set = [{}, {link_bandwidth = \"x2\"}]\n");
  const auto simulated = run(small, study, two_puts());
  REQUIRE(simulated.size() == 2);
  const Answer& answer = simulated.at(0);
  // A link of 1 GB/s: half a second alone, a second for half of the bytes beside the other, the rest alone.
  const double first_s = 0.5 + 0.5 / 0.5;
  const double second_s = 0.5 / 0.5 + 0.5;
  CHECK(*answer.total_s == Approx(0.5 + second_s).epsilon(1e-3));
  REQUIRE(answer.phases_s.size() == 2 * 2);
  CHECK(answer.phases_s[0].first == "job 1 alone");
  CHECK(answer.phases_s[0].second == Approx(1.).epsilon(1e-3));
  CHECK(answer.phases_s[1].first == "job 1 together");
  CHECK(answer.phases_s[1].second == Approx(first_s).epsilon(1e-3));
  CHECK(answer.phases_s[3].second == Approx(second_s).epsilon(1e-3));
  CHECK(*answer.quantity("slow_down") == Approx(1.5).epsilon(1e-3));
  CHECK(*simulated.at(1).total_s ==
        Approx(0.5 + 0.5).epsilon(1e-3));        // twice as fast: the first ends as the second begins
  CHECK(run(small, study, two_puts()).empty());  // all is known
}

TEST_CASE("each point has the closed form and the simulation of its own run") {
  const test::SmallStudy small;
  const StudyFile study = small.read("version = 1\nsimulate = \"all\"\niterations = 3\n" + axes);
  const auto simulated = run(small, study);
  const StudyInputs inputs = open_inputs(study);
  const std::vector<StudyPoint> points = points_of(study, inputs);
  const std::vector<PointState> states = Database(small / "s.sqlite").states();
  REQUIRE(states.size() == 3 * 3 * 2);
  CHECK(simulated.size() == 3 * 2 * 2);  // 9 ranks need 5 nodes
  const Pattern& pattern = *inputs.problems.front();
  for (const StudyPoint& point : points) {
    const PointState& state = states[static_cast<std::size_t>(point.number)];
    CHECK(state.feasible == (point.run.ranks != 9));
    if (!state.feasible) continue;
    const ChangedPlatform& changed = inputs.platforms[point.platform];
    const auto closed_form = predict(
        point.run, pattern.counts({&point.run, 1}, std::vector{layout_of(point.run).placement}, 1).front(),
        changed.platform.costs);
    CHECK(state.closed_form_s == (closed_form ? std::optional(3 * closed_form->total_s) : std::nullopt));
    const platform::ScaledPlatform scaled(changed.platform, changed.links);
    CHECK(simulated.at(point.number).total_s ==
          replay::replay(make_schedule(pattern, point.run), scaled.platform()).total_s);
  }
}

TEST_CASE("a study says what it will compute before it does, and which layouts it counts for that") {
  const test::SmallStudy small;
  const StudyFile study = small.read("version = 1\nsimulate = \"none\"\n" + axes + "blocksize = [10, 20]\n");
  std::size_t said_points = 0;
  std::size_t said_layouts = 0;
  run_study(
      {.study = study, .database = small / "s.sqlite", .shard = {}, .processes = 1, .answered_by = "test"},
      {.opened = [](std::int64_t, std::int64_t, std::int64_t) {},
       .computing =
           [&](std::size_t points, std::size_t layouts) {
             said_points = points;
             said_layouts = layouts;
           },
       .closed_forms = [&](std::size_t, std::size_t of) { CHECK(of == said_points); },
       .simulating = [](std::size_t, std::size_t) {},
       .simulated = [](const StudyPoint&, const Answer&, std::size_t) {}});
  CHECK(said_points == 3 * 2 * 2 * 2);  // policies, ranks, BLOCKSIZEs, sets; 9 ranks need 5 nodes
  CHECK(said_layouts == 2 * 2);         // ranks, BLOCKSIZEs
}

TEST_CASE("a study that is finished does nothing when it runs again, and more when more is asked for") {
  const test::SmallStudy small;
  CHECK(run(small, small.read("version = 1\nsimulate = \"none\"\n" + axes)).empty());
  const auto some = run(small, small.read("version = 1\nsimulate = \"best 1\"\n" + axes));
  CHECK(!some.empty());
  CHECK(run(small, small.read("version = 1\nsimulate = \"best 1\"\n" + axes)).empty());
  const auto others = run(small, small.read("version = 1\nsimulate = \"all\"\n" + axes));
  CHECK(some.size() + others.size() == 3 * 2 * 2);
  for (const auto& [number, answer] : some)
    CHECK(!others.contains(number));
}

namespace {

/// Whether what this process forks from now on is killed at once. What such a process forks itself is always
/// killed: a study's simulations are its children, none their child.
bool children_are_killed = false;
pid_t parent = 0;

void kill_some() {
  if (children_are_killed || ::getppid() != parent) ::raise(SIGKILL);
}

}  // namespace

TEST_CASE(
    "a simulation that is killed is neither stored nor the end of the study, and the next run does it") {
  const test::SmallStudy small;
  const StudyFile study = small.read("version = 1\nsimulate = \"all\"\n" + axes);
  parent = ::getpid();
  REQUIRE(::pthread_atfork(nullptr, nullptr, kill_some) == 0);
  std::size_t answers = 0;
  const std::size_t interrupted = run_study(
      {.study = study, .database = small / "s.sqlite", .shard = {}, .processes = 2, .answered_by = "test"},
      {.opened = [](std::int64_t, std::int64_t, std::int64_t) {},
       .computing = [](std::size_t, std::size_t) {},
       .closed_forms = [](std::size_t, std::size_t) {},
       .simulating = [&](std::size_t, std::size_t) { children_are_killed = true; },
       .simulated =
           [&](const StudyPoint&, const Answer& answer, std::size_t) {
             CHECK(answer.interrupted == !answer.total_s);
             // Those that start later are not killed.
             if (++answers == 5) children_are_killed = false;
           }});
  CHECK(interrupted >= 5);
  std::size_t stored = 0;
  for (const PointState& state : Database(small / "s.sqlite").states())
    stored += state.simulated ? 1 : 0;
  CHECK(stored + interrupted == 3 * 2 * 2);
  const auto simulated = run(small, study);
  CHECK(simulated.size() == interrupted);
  for (const auto& [number, answer] : simulated)
    CHECK(answer.total_s);
}

TEST_CASE("links twice as fast carry a message in half the time, and latency stays") {
  const test::SmallStudy small;
  const auto seconds = [&](const std::string& set) {
    const StudyFile study = small.read(
        "version = 1\n[axes]\nplatform = \"four.xml\"\nmatrix = \"m.fgm\"\nranks = 2\nset = [" + set + "]\n");
    Schedule schedule;
    schedule.run.ranks = 2;
    schedule.run.ranks_per_node = 1;
    schedule.ranks.resize(2);
    schedule.ranks[0].begin_region(regions::get);
    schedule.ranks[0].add(
        Post{.kind = TransferKind::get, .blocking = true, .peer = 1, .size_bytes = 1'000'000});
    schedule.ranks[1].begin_region(regions::compute);
    const ChangedPlatform changed = open_inputs(study).platforms.front();
    const platform::ScaledPlatform platform(changed.platform, changed.links);
    return replay::replay(schedule, platform.platform()).total_s;
  };
  // A route is two links of 1 us; a blocking get waits for it twice. 1 MB at 1 GB/s.
  CHECK(seconds("{}") == Approx(2 * 2e-6 + 1e6 / 1e9));
  CHECK(seconds("{link_bandwidth = \"x2\"}") == Approx(2 * 2e-6 + 1e6 / 2e9));
  CHECK(seconds("{link_latency = \"x5\"}") == Approx(2 * 10e-6 + 1e6 / 1e9));
}
