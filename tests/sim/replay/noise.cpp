// SPDX-License-Identifier: MIT
#include "sim/replay/noisy_replays.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "small_platform.hpp"
#include "small_programs.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

Noise fixed(double period_s, double duration_s) {
  return {.kind = Noise::Kind::fixed, .period_s = period_s, .duration_s = duration_s};
}

/// Finish of one rank that works over memory for so long.
double finish_s(double work_s, const Noise& noise, std::uint64_t seed) {
  SmallPlatform platform(switched(1));
  const Schedule schedule =
      schedule_of_ranks({one_region(regions::compute, Work{std::llround(work_s * second_of_memory)})}, 1);
  return replay_with_noise(std::vector<ReplayJob>{{.schedule = &schedule, .platform = &*platform}}, noise,
                           seed, 1, 1)
      .front()
      .noisy_s.front();
}

std::filesystem::path recording(const std::string& text) {
  static int count = 0;
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("noise-{}-{}.csv", ::getpid(), count++);
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("noise: work that ends on the period's grid loses one detour each period") {
  // Between two detours are 9 s of work: 90 s are ten of them, wherever the first detour is.
  for (const std::uint64_t seed : {1, 2, 3})
    CHECK(finish_s(90, fixed(10, 1), seed) == Approx(90 + 10 * 1.).epsilon(1e-9));
}

TEST_CASE("noise: a detour delays what is worked on when it comes, and what begins during it") {
  const Noise noise = fixed(10, 2);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    // The first detour begins at `first`, which may be up to 2 s before the core's time begins.
    CoreNoise core(noise, seed, 0);
    double first = 0;
    while (CoreNoise(noise, seed, 0).lost_s(0, first + 1e-3) == 0)
      first += 1e-3;
    CAPTURE(seed, first);
    if (first == 0) continue;
    CHECK(core.lost_s(0, first - 1e-2) == 0);
    CHECK(core.lost_s(first - 1e-2, 1) == Approx(2).epsilon(1e-9));
    CHECK(core.lost_s(first + 11, 1) == Approx(first + 12 - (first + 11)).margin(2e-3));
    CHECK(core.lost_s(first + 13, 6.9) == 0);
  }
}

TEST_CASE("noise: a recording is repeated as it was, from some place of it on") {
  const auto file =
      recording("# noise_mpi\n# length_us=1000000\nstart_us,duration_us\n100000,50000\n700000,150000\n");
  const Noise noise = parse_noise(file.string(), "--noise");
  CHECK(noise.share() == Approx((0.05 + 0.15) / 1));
  // Five recordings, of which 0.8 s each are free.
  for (const std::uint64_t seed : {1, 2, 3})
    CHECK(CoreNoise(noise, seed, 7).lost_s(0, 5 * 0.8) == Approx(5 * (0.05 + 0.15)).margin(0.15));
  std::filesystem::remove(file);
}

TEST_CASE("noise: exponential detours take their share of a long time") {
  const Noise noise{.kind = Noise::Kind::exponential, .period_s = 1e-3, .duration_s = 1e-4};
  // 90,000 detours: their sum varies by sqrt(2 / 90,000), 0.5 %.
  CHECK(CoreNoise(noise, 1, 0).lost_s(0, 81) == Approx(81 * 0.1 / 0.9).epsilon(0.02));
}

TEST_CASE("noise: millions of detours are passed over at one stroke, in work and in waits") {
  const Noise often = fixed(1e-6, 0.25e-6);
  for (const std::uint64_t seed : {1, 2, 3}) {
    CoreNoise core(often, seed, 0);
    // Between two detours are 0.75 us of work.
    CHECK(core.lost_s(0, 3) == Approx(3 / 0.75e-6 * 0.25e-6).margin(0.25e-6));
    CHECK(core.lost_s(1e9, 3e9) == Approx(1e9).epsilon(1e-9));
    CHECK(core.noticed_s(1e10) == Approx(1e10).margin(0.25e-6 + 4e-6));  // at 1e10 s, doubles are 2 us apart
  }
  const auto file = recording("# length_us=1000\n100,100\n500,300\n");
  const Noise recorded = parse_noise(file.string(), "--noise");
  CHECK(CoreNoise(recorded, 1, 0).lost_s(0, 600) == Approx(600 / 0.6 * 0.4).margin(0.4e-3));
  std::filesystem::remove(file);
  const Noise drawn{.kind = Noise::Kind::exponential, .period_s = 1e-9, .duration_s = 0.25e-9};
  CoreNoise core(drawn, 1, 0);
  // 4e9 detours: their sum varies by 2e-5 of it.
  CHECK(core.lost_s(0, 3) == Approx(1).epsilon(2e-4));
  CHECK(core.lost_s(1e6, 3) == Approx(1).epsilon(2e-4));
}

TEST_CASE("noise: passing over many detours at one stroke loses what going through them one by one does") {
  // 8,000 detours are gone through one by one; in work of ten times that they are passed over.
  const Noise noise = fixed(1e-3, 0.25e-3);
  CoreNoise in_parts(noise, 3, 0);
  double now_s = 0;
  for (int part = 0; part < 10; ++part)
    now_s += 6 + in_parts.lost_s(now_s, 6);
  CHECK(60 + CoreNoise(noise, 3, 0).lost_s(0, 60) == Approx(now_s).epsilon(1e-9));
}

TEST_CASE("noise: of no duration, every program takes what it takes without, to the bit") {
  SmallPlatform platform(fat_tree);
  charge_messages(platform);
  std::vector<Schedule> schedules = {heat_schedule(small_heat_run())};
  const test::MatrixPattern matrix = small_matrix();
  for (Run run : small_spmv_runs()) {
    run.iterations = 2;
    schedules.push_back(spmv_schedule(matrix.view(), run));
  }
  std::vector<ReplayJob> jobs;
  for (const Schedule& schedule : schedules)
    jobs.push_back({.schedule = &schedule, .platform = &*platform});
  for (const NoisyTotals& totals : replay_with_noise(jobs, fixed(1e-3, 0), 1, 1, 2))
    CHECK(totals.noisy_s.front() == totals.quiet_s);
}

TEST_CASE("noise: the same seed gives the same bits on any number of processes, another seed others") {
  SmallPlatform platform(fat_tree);
  charge_messages(platform);
  Run run = small_heat_run();
  run.iterations = 5;
  const Schedule schedule = heat_schedule(run);
  const std::vector<ReplayJob> jobs = {{.schedule = &schedule, .platform = &*platform}};
  const Noise noise{.kind = Noise::Kind::exponential, .period_s = 1e-4, .duration_s = 1e-5};
  const std::vector<double> once = replay_with_noise(jobs, noise, 5, 3, 1).front().noisy_s;
  CHECK(replay_with_noise(jobs, noise, 5, 3, 3).front().noisy_s == once);
  CHECK(replay_with_noise(jobs, noise, 6, 1, 1).front().noisy_s.front() == once[1]);
  CHECK(once[0] != once[1]);
}

TEST_CASE("noise: a barrier waits for the slowest of its ranks") {
  SmallPlatform platform(switched(4));
  Body body = one_region(regions::compute, Work{second_of_memory});
  body.add_region(regions::barrier, Collective{});
  const Schedule schedule = schedule_of_ranks({body, body, body, body}, 1, 1);
  const Noise noise = fixed(4, 1);
  double slowest_s = 0;
  for (std::uint64_t core = 0; core < 4; ++core)
    slowest_s = std::max(slowest_s, 1 + CoreNoise(noise, 9, core).lost_s(0, 1));
  double last_s = 0;  // each leaves it when its own core is there
  for (std::uint64_t core = 0; core < 4; ++core)
    last_s = std::max(last_s, CoreNoise(noise, 9, core).noticed_s(slowest_s));
  const std::vector<ReplayJob> jobs = {{.schedule = &schedule, .platform = &*platform}};
  CHECK(replay_with_noise(jobs, noise, 9, 1, 1).front().noisy_s.front() == Approx(last_s).epsilon(1e-9));
}

TEST_CASE("noise: a rank that waits notices at the end of a detour what came during it") {
  SmallPlatform platform(switched(2));
  const std::int64_t half_a_second = 500'000;
  Body sender = one_region(regions::compute, Work{second_of_memory});
  sender.add_region(regions::put, Post{transfer(TransferKind::send, 1, half_a_second)});
  sender.add_region(regions::wait, Complete::all());
  Body receiver = one_region(regions::get, {transfer(TransferKind::receive, 0, half_a_second)});
  receiver.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({sender, receiver}, 1);
  const std::vector<ReplayJob> jobs = {{.schedule = &schedule, .platform = &*platform}};
  const Noise noise = fixed(1, 0.5);
  bool is_ever_late = false;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    CAPTURE(seed);
    const double arrival_s = 1 + CoreNoise(noise, seed, 0).lost_s(0, 1) + 0.5;
    const double noticed_s = std::max(CoreNoise(noise, seed, 0).noticed_s(arrival_s),
                                      CoreNoise(noise, seed, 1).noticed_s(arrival_s));
    is_ever_late |= noticed_s > arrival_s + 0.1;
    CHECK(replay_with_noise(jobs, noise, seed, 1, 1).front().noisy_s.front() ==
          Approx(noticed_s).epsilon(1e-9));
  }
  CHECK(is_ever_late);
}

TEST_CASE("noise: what is no noise is refused with the line that is wrong") {
  CHECK(parse_noise("fixed:period=1ms,duration=10us", "--noise").share() == Approx(10e-6 / 1e-3));
  CHECK_THROWS_WITH(parse_noise("fixed:period=1ms,duration=1ms", "--noise"), Contains("leaves no time"));
  CHECK_THROWS_WITH(parse_noise("fixed:period=1ms,duration=0.999999999ms", "--noise"),
                    Contains("less than a millionth"));
  CHECK_THROWS_WITH(parse_noise("exponential:period=1e-300s,duration=0s", "--noise"),
                    Contains("shorter than a nanosecond"));
  CHECK_THROWS_WITH(parse_noise("fixed:period=1ms,duration=1us,period=2ms", "--noise"), Contains("twice"));
  CHECK_THROWS_WITH(parse_noise("fixed:duration=1ms", "--noise"), Contains("not both"));
  CHECK_THROWS_WITH(parse_noise("fixed:period=1ms,length=1us", "--noise"), Contains("'length=1us'"));
  CHECK_THROWS_WITH(parse_noise("no-such-file", "--noise"), Contains("no-such-file"));
  const auto refused = [](const std::string& text, const std::string& what) {
    const auto file = recording(text);
    CHECK_THROWS_WITH(parse_noise(file.string(), "--noise"), Contains(what));
    std::filesystem::remove(file);
  };
  refused("# length_us=10\n1,2\nnonsense\n", ":3");
  refused("# length_us=10\n5,2\n6,1\n", "before the one before it ends");
  refused("# length_us=10\n5,7\n", "no '# length_us='");
  refused("# length_us=10\n", "no detour");
  refused("# length_us=1000\n0,999.9999999\n", "less than a millionth");
}
