// SPDX-License-Identifier: MIT
// Hosts whose speed follows a profile: their recorded work does, and nothing else.
#include <catch2/catch.hpp>

#include "listed_programs.hpp"
#include "replay_both_ways.hpp"
#include "sim/replay/noisy_replays.hpp"
#include "sim/replay/side_by_side.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// Two hosts; the second one's speed follows a profile.
class ChangingHost {
 public:
  explicit ChangingHost(const std::string& points, const std::string& kind = "SPEED",
                        const std::string& host = "b")
      : platform_(fmt::format(R"(<zone id='z' routing='Full'>
                     <host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
                     <link id='l' bandwidth='1MBps' latency='0us'/>
                     <route src='a' dst='b'><link_ctn id='l'/></route>
                     <trace id='t' periodicity='-1'>{}</trace>
                     <trace_connect trace='t' element='{}' kind='{}'/>
                   </zone>)",
                              points, host, kind)) {
    (*platform_).changes_over_time = true;
  }
  const Platform& operator*() { return *platform_; }
  PlatformCosts& costs() { return platform_.costs(); }

 private:
  SmallPlatform platform_;
};

constexpr const char* slower_then_still = "1 0.5\n3 0\n4 1";

/// Each rank does one piece of work after the other, and then all meet.
ListedPrograms pieces_of_work(const std::vector<std::vector<double>>& seconds) {
  std::vector<Calls> ranks;
  for (const std::vector<double>& pieces : seconds) {
    Calls& calls = ranks.emplace_back();
    for (const double work_s : pieces)
      calls.push_back({Complete::all(), work_s});
    calls.push_back({Collective{}});
  }
  return ListedPrograms(std::move(ranks));
}

/// Two ranks that compute all the time, as recorded.
Schedule schedule_of_work(std::int64_t iterations = 1) {
  return schedule_of_ranks({one_region(regions::compute, Work{1}), one_region(regions::compute, Work{1})}, 1,
                           iterations);
}

ReplayResult replay_durations(const Schedule& schedule, const PhaseDurations& durations,
                              const Platform& platform, const ReplayOptions& options) {
  return replay_all({{&schedule, &platform, &durations}}, 1, options).front();
}

}  // namespace

TEST_CASE("a changing host: recorded work follows the speed of its own host") {
  ChangingHost platform(slower_then_still);
  CHECK(replay_programs(pieces_of_work({{5}, {1}}), *platform).total_s == Approx(5.));
  // 1 s at full speed and 2 s at half do 2 s of work. Then the host stands still for 1 s.
  CHECK(replay_programs(pieces_of_work({{1}, {2.5}}), *platform).total_s == Approx(4 + 0.5));
  CHECK(replay_programs(pieces_of_work({{1}, {0.75, 0.75, 1}}), *platform).total_s == Approx(4 + 0.5));
}

TEST_CASE("a changing host: no iteration repeats another, so all are simulated") {
  ChangingHost platform("100 0.5");
  const ReplayResult result =
      replay_programs(pieces_of_work({std::vector(200, 1.), std::vector(200, 1.)}), *platform);
  CHECK(result.total_s == Approx(100 + 100 / 0.5));
}

TEST_CASE("a changing host: work ends when SimGrid's own profile has it end") {
  for (const char* points : {"2 0.25", "1 0.5\n3 0.125\n4 1", "PERIODICITY 3\n0 1\n1 0.5\n2 0.25",
                             "PERIODICITY 2\n0.5 2\n1.5 0.125", "0 0.5\n0.25 1"}) {
    ChangingHost platform(points);
    const Schedule schedule = schedule_of_work(7);
    const PhaseDurations durations{{0.3}, {0.7}};
    const ReplayResult own = replay_durations(schedule, durations, *platform, {});
    const ReplayResult simgrid =
        replay_durations(schedule, durations, *platform, {.one_flow_per_message = true});
    CAPTURE(points);
    CHECK(own.simulated_iterations == 7);
    for (std::size_t rank = 0; rank < 2; ++rank)
      CHECK(own.ranks[rank].finish_s == Approx(simgrid.ranks[rank].finish_s).epsilon(1e-9));
  }
  ChangingHost still(slower_then_still);
  CHECK_THROWS_WITH(replay_durations(schedule_of_work(), {{1}, {1}}, *still, {.one_flow_per_message = true}),
                    Contains("host b stands still at 3 s (with one SimGrid flow a message"));
}

TEST_CASE("a changing host: bytes over its memory and the CPU time of messages do not follow its speed") {
  ChangingHost platform("0 0.25");
  platform.costs().message_overhead_s = 2e-3;
  Body sends = one_region(regions::compute, Work{second_of_memory});
  sends.add_region(regions::send, transfer(TransferKind::send, 0, 1000));
  sends.add_region(regions::wait, Complete::all());
  Body receives = one_region(regions::receive, {transfer(TransferKind::receive, 1, 1000)});
  receives.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({receives, sends}, 1);
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1 + 2e-3 + 1e-3));
}

TEST_CASE("a changing host: detours of noise fall into its work where they come") {
  // Detours of 1 s in each 20 s leave 19 s of the core. At half the speed, 57 s of work need 114 s of it: six
  // detours, wherever the first one is.
  const Noise noise{.kind = Noise::Kind::fixed, .period_s = 20, .duration_s = 1};
  const Schedule schedule = schedule_of_work();
  const PhaseDurations durations{{0}, {57}};
  const auto noisy_s = [&](const std::string& points, std::uint64_t seed) {
    ChangingHost platform(points);
    return replay_with_noise(std::vector<ReplayJob>{{&schedule, &*platform, &durations}}, noise, seed, 1, 1)
        .front()
        .noisy_s.front();
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    CHECK(noisy_s("0 0.5", seed) == Approx(57 / 0.5 + 6 * 1.));
    // In the first 40 s are two detours, so 38 s of the core at half the speed. The other 38 s of work are as
    // without a profile.
    CHECK(noisy_s("0 0.5\n40 1", seed) == Approx(40 + (57 - 38 * 0.5) + 2 * 1.));
    // While the host stands still, detours cost nothing.
    CHECK(noisy_s("0 0\n40 1", seed) == Approx(40 + 57 + 3 * 1.));
  }
}

TEST_CASE("a changing host: drawn and very short detours take their share of its work, too") {
  ChangingHost platform("10 0.5\n1010 1");
  const Schedule schedule = schedule_of_work();
  const PhaseDurations durations{{0}, {1000}};
  using enum Noise::Kind;
  for (const Noise::Kind kind : {fixed, exponential}) {
    const Noise noise{.kind = kind, .period_s = 1e-3, .duration_s = 2e-4};
    const double noisy_s =
        replay_with_noise(std::vector<ReplayJob>{{&schedule, &*platform, &durations}}, noise, 1, 1, 1)
            .front()
            .noisy_s.front();
    // A core has 0.8 of its time: 8 s of work in the first 10 s, and 400 s in the 1000 s at half the speed.
    CHECK(noisy_s == Approx(1010 + (1000 - 8 - 400) / 0.8).epsilon(kind == fixed ? 1e-6 : 5e-3));
  }
}

TEST_CASE("a changing host: states are refused by their names, and so is a host that is not there") {
  const ListedPrograms programs = pieces_of_work({{1}, {1}});
  ChangingHost failing("1 0\n2 1", "HOST_AVAIL");
  CHECK_THROWS_WITH(replay_programs(programs, *failing), Contains("<trace_connect kind=\"HOST_AVAIL\""));
  ChangingHost missing("1 0.5", "SPEED", "c");
  CHECK_THROWS_WITH(replay_programs(programs, *missing), Contains("there is no host 'c'"));
  ChangingHost still("1 0");
  CHECK_THROWS_WITH(replay_programs(programs, *still), Contains("gives host b the factor 0 from 1 s on"));
}

TEST_CASE("a changing host: a job on it takes longer, alone and beside others") {
  ChangingHost platform("1 0.5");
  const collectives::Decisions decisions("openmpi-4.1", {});
  const ListedPrograms programs = pieces_of_work({{2}});
  Schedule run;
  run.run.ranks = 1;
  run.run.ranks_per_node = 1;
  const ReplayJob job{
      .schedule = &run, .platform = &*platform, .programs = &programs, .decisions = &decisions};
  const auto times = replay_side_by_side(std::vector<SharedJob>{{job, {0}}, {job, {1}}}, 2);
  CHECK(times[0].together_s == Approx(2.));
  CHECK(times[1].alone_s == Approx(1 + 1 / 0.5));
  CHECK(times[1].together_s == Approx(1 + 1 / 0.5));
}
