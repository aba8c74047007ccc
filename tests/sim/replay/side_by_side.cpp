// SPDX-License-Identifier: MIT
#include "sim/replay/side_by_side.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "listed_programs.hpp"
#include "shared_link.hpp"
#include "sim/replay/noise.hpp"
#include "task_farm.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

std::vector<SharedJobTimes> times_of(const std::vector<SharedJob>& jobs) {
  return replay_side_by_side(jobs, 2, {.share_tolerance = 0});
}

}  // namespace

TEST_CASE("jobs: two that share a link all the time take twice as long each") {
  SmallPlatform platform(two_switches);
  const Schedule schedule = puts(megabyte, 3);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  for (const SharedJobTimes& times : times_of({{job, {0, 2}}, {job, {1, 3}}})) {
    CHECK(times.alone_s == Approx(3 * 1.).epsilon(1e-6));
    CHECK(times.together_s == Approx(3 * 2.).epsilon(1e-6));
  }
}

TEST_CASE("jobs: one of half the bytes slows the other while both send") {
  SmallPlatform platform(two_switches);
  const Schedule large = puts(2 * megabyte);
  const Schedule small = puts(megabyte);
  const auto times = times_of({{{.schedule = &large, .platform = &*platform}, {0, 2}},
                               {{.schedule = &small, .platform = &*platform}, {1, 3}}});
  CHECK(times[1].together_s == Approx(1 / 0.5).epsilon(1e-6));
  CHECK(times[0].together_s == Approx(1 / 0.5 + 1 / 1.).epsilon(1e-6));
}

TEST_CASE("jobs: those that share no link take what they take alone, to the bit") {
  SmallPlatform platform(switched(5, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  const Schedule schedule = puts(megabyte, 3);
  const Schedule other = puts(megabyte / 3, 7);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  const auto times = times_of({{job, {4, 2}}, {{.schedule = &other, .platform = &*platform}, {0, 3}}});
  CHECK(times[0].together_s == times[0].alone_s);
  CHECK(times[1].together_s == times[1].alone_s);
  const ReplayResult usual = replay::replay(schedule, *platform, {.repeat_tolerance = 0});
  CHECK(times[0].alone_s == usual.total_s);
}

TEST_CASE("jobs: an offset begins one so much later, and only what overlaps is shared") {
  SmallPlatform platform(two_switches);
  const Schedule schedule = puts(megabyte);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  // From 0.25 s on both have half: the first has 0.75 MB left, the second then 0.25 MB.
  const auto times = times_of({{job, {0, 2}}, {job, {1, 3}, 0.25}});
  CHECK(times[0].together_s == Approx(0.25 + 0.75 / 0.5).epsilon(1e-6));
  CHECK(times[1].together_s == Approx(0.75 / 0.5 + 0.25 / 1).epsilon(1e-6));
  const auto apart = times_of({{job, {0, 2}}, {job, {1, 3}, 5}});
  CHECK(apart[0].together_s == apart[0].alone_s);
  CHECK(apart[1].together_s == Approx(apart[1].alone_s).epsilon(1e-9));
}

TEST_CASE("jobs: starts that lie far apart change no digit of a job that meets no other") {
  SmallPlatform platform(two_switches);
  const Schedule schedule = puts(megabyte);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  for (const double offset_s : {1e4, 1e9, 1e12, 1e300}) {
    CAPTURE(offset_s);
    // The second and the third share the link, long after the first.
    const auto times = times_of({{job, {0, 2}}, {job, {0, 2}, offset_s}, {job, {1, 3}, offset_s}});
    CHECK(times[0].slow_down() == Approx(1).epsilon(1e-9));
    CHECK(times[1].slow_down() == Approx(2).epsilon(1e-6));
    CHECK(times[2].slow_down() == Approx(2).epsilon(1e-6));
  }
}

TEST_CASE("jobs: one that still runs when another begins long after it shares the link with it") {
  SmallPlatform platform(two_switches);
  const Schedule longer = puts(megabyte, 2000);
  const Schedule schedule = puts(megabyte);
  const auto times = times_of({{{.schedule = &longer, .platform = &*platform}, {0, 2}},
                               {{.schedule = &schedule, .platform = &*platform}, {1, 3}, 1500}});
  CHECK(times[0].together_s == Approx(2000 + 1.).epsilon(1e-9));
  CHECK(times[1].together_s == Approx(2.).epsilon(1e-6));
}

TEST_CASE("jobs: noise lengthens each alone and together alike, and not the wait for its start") {
  SmallPlatform platform(switched(3));
  const Schedule works = schedule_of_ranks({one_region(regions::compute, Work{9 * second_of_memory})}, 1);
  const ReplayJob job{.schedule = &works, .platform = &*platform};
  // Between two detours are 0.9 s of work: 9 s are ten of them.
  const Noise noise{.kind = Noise::Kind::fixed, .period_s = 1, .duration_s = 0.1};
  const auto times = replay_side_by_side(std::vector<SharedJob>{{job, {0}}, {job, {1}}, {job, {2}, 100.5}}, 2,
                                         {}, {}, &noise, 1);
  for (const SharedJobTimes& of_job : times) {
    CHECK(of_job.alone_s == Approx(9 + 10 * 0.1).margin(0.1));
    CHECK(of_job.together_s == Approx(9 + 10 * 0.1).margin(0.1));
  }
  CHECK(times[1].alone_s == times[1].together_s);
}

TEST_CASE("jobs: two on one node share its memory") {
  SmallPlatform platform(switched(1));
  platform.costs().memory_bandwidth_bytes_per_s = 12e9;  // as much as one core takes
  const Schedule schedule = schedule_of_ranks({one_region(regions::compute, Work{12'000'000'000})}, 1);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  for (const SharedJobTimes& times : times_of({{job, {0}}, {job, {0}}})) {
    CHECK(times.alone_s == Approx(1.));
    CHECK(times.together_s == Approx(2.));
  }
}

TEST_CASE("jobs: programs have communicators and collectives of their own, beside a schedule") {
  SmallPlatform platform(switched(6, "3us"));
  const Collective all{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 800};
  const ListedPrograms programs({{{all, 1}, {Collective{}, 0}}, {{all, 2}, {Collective{}, 0}}});
  const ListedPrograms others({{{all, 3}, {all, 4}}, {{all, 0}, {all, 0}}});
  const collectives::Decisions decisions("openmpi-4.1");
  Schedule run;
  run.run.ranks = 2;
  run.run.ranks_per_node = 1;
  const Schedule schedule = puts(megabyte, 2);
  const auto job = [&](const Programs& of) {
    return ReplayJob{.schedule = &run,
                     .platform = &*platform,
                     .programs = &of,
                     .decisions = &decisions,
                     .compute_scale = 2};
  };
  const auto times = times_of({{job(programs), {1, 0}},
                               {{.schedule = &schedule, .platform = &*platform}, {2, 3}},
                               {job(others), {4, 5}}});
  for (const SharedJobTimes& of_job : times)
    CHECK(of_job.together_s == of_job.alone_s);
  CHECK(times[0].alone_s > 2 * 2.);
  CHECK(times[2].alone_s > 2 * (3 + 4.));
}

TEST_CASE(
    "jobs: one master gives tasks to who comes first, and two keep the recorded order, alone as together") {
  SmallPlatform platform(switched(6));
  // Worker 1 gets the task of 4 s. In the recording, the next result is taken from it all the same.
  const ListedPrograms programs(farm({1, 2, 1, 2, 1, 2}, {4, 1, 1, 1}, {0, 0.5}));
  const Schedule run = run_of(programs);
  const Schedule schedule = puts(megabyte, 2);
  const ReplayJob farmed{.schedule = &run, .platform = &*platform, .programs = &programs};
  const auto one = times_of({{farmed, {0, 1, 2}}, {{.schedule = &schedule, .platform = &*platform}, {3, 4}}});
  const auto two = times_of({{farmed, {0, 1, 2}}, {farmed, {3, 4, 5}}});
  CHECK_FALSE(one[0].keeps_tasks);
  CHECK(one[0].alone_s == Approx(4).margin(margin_s));
  CHECK(one[0].together_s == one[0].alone_s);
  for (const SharedJobTimes& times : two) {
    CHECK(times.keeps_tasks);
    CHECK(times.alone_s == Approx(4 + 1).margin(margin_s));
    CHECK(times.together_s == times.alone_s);
  }
}

TEST_CASE("jobs: beside a recorded program, a schedule's copies within a node take what they take alone") {
  SmallPlatform platform(switched(4));
  Body sender;
  sender.begin_region(RegionName("send"));
  sender.add(Post{.kind = TransferKind::send, .peer = 1, .size_bytes = 12'000'000'000});
  sender.begin_region(regions::compute).add(Work{.memory_bytes = 12'000'000'000});
  sender.begin_region(RegionName("wait")).add(Complete::all());
  Body receiver;
  receiver.begin_region(RegionName("receive"));
  receiver.add(
      Post{.kind = TransferKind::receive, .blocking = true, .peer = 0, .size_bytes = 12'000'000'000});
  const Schedule schedule = schedule_of_ranks({sender, receiver}, 2);
  const collectives::Decisions decisions("openmpi-4.1");
  const ListedPrograms programs({{{Collective{}, 1}}, {{Collective{}, 0}}});
  const Schedule run = run_of(programs);
  const auto times = times_of(
      {{{.schedule = &schedule, .platform = &*platform}, {0}},
       {{.schedule = &run, .platform = &*platform, .programs = &programs, .decisions = &decisions}, {2, 3}}});
  CHECK(times[0].together_s == times[0].alone_s);
  CHECK(times[1].together_s == times[1].alone_s);
}

TEST_CASE("jobs: a node that is not there, or twice in a job, is refused by its number") {
  SmallPlatform platform(switched(4));
  const Schedule schedule = puts(megabyte);
  const ReplayJob job{.schedule = &schedule, .platform = &*platform};
  CHECK_THROWS_WITH(times_of({{job, {0, 4}}}), Contains("there is no node 4 (its 4 hosts are nodes 0 to 3)"));
  CHECK_THROWS_WITH(times_of({{job, {1, 1}}}), Contains("node 1 is twice in a job"));
  CHECK_THROWS_AS(times_of({{job, {}}}), InputError);
}

TEST_CASE("jobs: the timeline has all ranks, and of each link the bytes of each job") {
  SmallPlatform platform(two_switches);
  const Schedule large = puts(2 * megabyte);
  const Schedule small = puts(megabyte);
  const std::vector<SharedJob> jobs{{{.schedule = &large, .platform = &*platform}, {0, 2}},
                                    {{.schedule = &small, .platform = &*platform}, {3, 1}, 0.5}};
  const ProgramTimeline timeline = replay_timeline_side_by_side(jobs, 0, 10, {.share_tolerance = 0});
  // The first sends 0.5 MB alone, then 1 MB beside the other one's, then the rest alone.
  CHECK(timeline.makespan_s == Approx(0.5 + 1 / 0.5 + 0.5));
  const auto span_of = [&](std::int32_t rank, const std::string& name) {
    for (const RegionSpan& span : timeline.spans)
      if (span.rank == rank &&
          timeline.regions[static_cast<std::size_t>(rank)][static_cast<std::size_t>(span.region)] == name)
        return span;
    return RegionSpan{};
  };
  CHECK(span_of(0, "put").end_s == Approx(3));
  CHECK(span_of(1, "barrier").start_s == 0);
  CHECK(span_of(2, "put").start_s == Approx(0.5));
  CHECK(span_of(2, "put").end_s == Approx(0.5 + 1 / 0.5));
  CHECK(span_of(3, "barrier").start_s == Approx(0.5));
  CHECK(std::ranges::none_of(timeline.spans,
                             [](const RegionSpan& span) { return span.rank >= 2 && span.start_s < 0.5; }));
  const auto link = [&](const std::string& name) {
    return *std::ranges::find(timeline.links, name, &LinkUse::name);
  };
  CHECK(link("trunk").bytes_of_groups == std::vector<double>{2 * megabyte, megabyte});
  CHECK(link("nic-0").bytes_of_groups == std::vector<double>{2 * megabyte, 0});
  CHECK(link("nic-3").bytes_of_groups == std::vector<double>{0, megabyte});
  CHECK(link("nic-3").node == 3);
  CHECK(link("trunk").node == -1);
}
