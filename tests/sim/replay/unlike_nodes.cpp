// SPDX-License-Identifier: MIT
// Nodes that are unlike one another: each is simulated as it is.
#include <catch2/catch.hpp>

#include "listed_programs.hpp"
#include "sim/replay/side_by_side.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::replay;

namespace {

constexpr const char* one_and_four_gf = R"(<zone id="z" routing="Full">
  <host id="n0" speed="1Gf"/><host id="n1" speed="4Gf"/>
  <link id="l" bandwidth="1GBps" latency="0us"/><route src="n0" dst="n1"><link_ctn id="l"/></route></zone>)";

/// Two nodes; the second has a half of the first one's memory bandwidth, and a third of it for a core.
struct HalfTheMemory {
  HalfTheMemory() : platform(one_and_four_gf) {
    (*platform).nodes = {{.name = "n0", .cores = {}, .speed = "1Gf"},
                         {.name = "n1",
                          .cores = {},
                          .speed = "4Gf",
                          .memory_bandwidth = 0.5,
                          .memory_bandwidth_per_core = 1. / 3}};
  }
  SmallPlatform platform;
};

/// Each rank works so long, and then all meet.
ListedPrograms work_of(const std::vector<double>& seconds) {
  std::vector<Calls> ranks;
  for (const double work_s : seconds)
    ranks.push_back({{Collective{}, work_s}});
  return ListedPrograms(std::move(ranks));
}

double total_s(const Programs& programs, const Platform& platform, std::optional<double> flops_per_s,
               std::span<const int> hosts = {}) {
  const collectives::Decisions decisions("openmpi-4.1", {});
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = 1;
  return replay_all({{.schedule = &run,
                      .platform = &platform,
                      .programs = &programs,
                      .decisions = &decisions,
                      .work_flops_per_s = flops_per_s,
                      .hosts = hosts}},
                    1)
      .front()
      .total_s;
}

}  // namespace

TEST_CASE("unlike nodes: bytes go over the memory of their own node") {
  HalfTheMemory half;
  for (const bool one_flow_per_message : {false, true}) {
    // A core of node 1 moves 12 / 3 GB/s.
    const Schedule alone = schedule_of_ranks({one_region(regions::compute, Work{second_of_memory}),
                                              one_region(regions::compute, Work{second_of_memory})},
                                             1);
    const ReplayResult result =
        replay::replay(alone, *half.platform, {.one_flow_per_message = one_flow_per_message});
    CHECK(result.ranks[0].finish_s == Approx(1.));
    CHECK(result.ranks[1].finish_s == Approx(3.));
  }
}

TEST_CASE("unlike nodes: ranks of a node share its own memory") {
  HalfTheMemory half;
  (*half.platform).nodes[1].memory_bandwidth_per_core = 1;
  // Ten ranks on each node: 75 GB/s for those of node 0, and 37.5 for those of node 1.
  const Schedule schedule =
      schedule_of_ranks(std::vector<Body>(20, one_region(regions::compute, Work{second_of_memory})), 10);
  const ReplayResult result = replay::replay(schedule, *half.platform);
  CHECK(result.ranks[0].finish_s == Approx(10 * 12 / 75.));
  CHECK(result.ranks[19].finish_s == Approx(10 * 12 / 37.5));
}

TEST_CASE("unlike nodes: recorded work takes its time on the first host, and others theirs by their speeds") {
  HalfTheMemory half;
  CHECK(total_s(work_of({1, 2}), *half.platform, std::nullopt) == Approx(1.));
  CHECK(total_s(work_of({1, 8}), *half.platform, std::nullopt) == Approx(8 / 4.));
  // On the second host first: 8 s of work there take 2 s, and the other rank's 3 s take them.
  CHECK(total_s(work_of({8, 3}), *half.platform, std::nullopt, std::vector{1, 0}) == Approx(3.));
}

TEST_CASE("unlike nodes: a host's own factor on recorded work counts in place of its speed") {
  HalfTheMemory half;
  (*half.platform).nodes[1].work = 1.5;
  CHECK(total_s(work_of({1, 8}), *half.platform, std::nullopt) == Approx(8 * 1.5));
  CHECK(total_s(work_of({20, 8}), *half.platform, std::nullopt) == Approx(20.));
  // On the second host first.
  CHECK(total_s(work_of({8, 3}), *half.platform, std::nullopt, std::vector{1, 0}) == Approx(8 * 1.5));
  // Work in flops has it beside the speed.
  CHECK(total_s(work_of({1, 8}), *half.platform, 1e9) == Approx(8e9 / 4e9 * 1.5));
}

TEST_CASE("unlike nodes: work in flops takes the time of its host's speed, also where all are alike") {
  HalfTheMemory half;
  CHECK(total_s(work_of({1, 8}), *half.platform, 1e9) == Approx(8e9 / 4e9));
  SmallPlatform alike(switched(2));
  CHECK(total_s(work_of({1, 3}), *alike, 2e9) == Approx(3 * 2e9 / 1e9));
  CHECK(total_s(work_of({1, 3}), *alike, std::nullopt) == Approx(3.));
}

TEST_CASE("unlike nodes: jobs side by side take the times of their own hosts") {
  HalfTheMemory half;
  const collectives::Decisions decisions("openmpi-4.1", {});
  const ListedPrograms programs = work_of({8});
  Schedule run;
  run.run.ranks = 1;
  run.run.ranks_per_node = 1;
  const ReplayJob in_seconds{
      .schedule = &run, .platform = &*half.platform, .programs = &programs, .decisions = &decisions};
  ReplayJob in_flops = in_seconds;
  in_flops.work_flops_per_s = 2e9;
  const auto times = replay_side_by_side(
      std::vector<SharedJob>{{in_seconds, {0}}, {in_seconds, {1}}, {in_flops, {0}}, {in_flops, {1}}}, 2);
  const std::vector<double> expected = {8., 8 / 4., 8 * 2e9 / 1e9, 8 * 2e9 / 4e9};
  for (std::size_t job = 0; job < expected.size(); ++job) {
    CHECK(times[job].alone_s == Approx(expected[job]));
    CHECK(times[job].together_s == Approx(expected[job]));
  }
}
