// SPDX-License-Identifier: MIT
// Messages that are divided among the rails of their nodes. A rail has 1 MB/s in and out of each node, unless
// a test says otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/replay/contention.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

struct Rail {
  std::string bandwidth = "1MBps";
  std::string latency = "0us";
};

std::string with_rails(int nodes, const std::vector<Rail>& rails) {
  std::string clusters;
  for (std::size_t rail = 0; rail < rails.size(); ++rail)
    clusters += fmt::format(
        "<cluster id='c{0}' prefix='{1}node-' suffix='' radical='0-{2}' speed='1Gf' core='4' bw='{3}' "
        "lat='{4}' sharing_policy='SPLITDUPLEX'/>",
        rail, rail == 0 ? "" : fmt::format("~rail{}~", rail), nodes - 1, rails[rail].bandwidth,
        rails[rail].latency);
  return fmt::format(
      "<zone id='z' routing='Full'><prop id='rails' value='{}'/><prop id='nodes' value='{}'/>{}</zone>",
      rails.size(), nodes, clusters);
}

Schedule one_put(std::int64_t size_bytes) {
  return schedule_of_ranks(
      {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, size_bytes))}), idle()}, 1);
}

Body exchanging(TransferKind kind, int peer, std::int64_t size_bytes) {
  Body body = one_region(regions::send, {transfer(kind, peer, size_bytes)});
  body.add_region(regions::wait, Complete::all());
  return body;
}

Schedule one_message(std::int64_t size_bytes) {
  return schedule_of_ranks(
      {exchanging(TransferKind::send, 1, size_bytes), exchanging(TransferKind::receive, 0, size_bytes)}, 1);
}

double seconds(const Schedule& schedule, const std::string& platform_text, double stripe_above_bytes) {
  SmallPlatform platform(platform_text);
  platform.costs().stripe_above_bytes = stripe_above_bytes;
  return replay::replay(schedule, *platform).total_s;
}

const std::string two_rails = with_rails(2, {{}, {}});

}  // namespace

TEST_CASE("stripes: over two rails, a megabyte takes half as long") {
  for (const Schedule& schedule : {one_put(megabyte), one_message(megabyte)}) {
    SmallPlatform platform(two_rails);
    CHECK(replay::replay(schedule, *platform).total_s == Approx(1).epsilon(1e-9));
    CHECK(seconds(schedule, two_rails, 1000) == Approx(0.5).epsilon(1e-9));
    CHECK(seconds(schedule, with_rails(2, {{}, {}, {}, {}}), 1000) == Approx(0.25).epsilon(1e-9));
  }
}

TEST_CASE("stripes: a message is divided if it is longer than stripe_above") {
  for (const auto of_size : {one_put, one_message}) {
    CHECK(seconds(of_size(500'000), two_rails, 500'000) == Approx(0.5).epsilon(1e-9));
    CHECK(seconds(of_size(500'002), two_rails, 500'000) == Approx(0.250001).epsilon(1e-9));
  }
}

TEST_CASE("stripes: a faster rail takes more, so that all parts end at once") {
  // 1 and 0.25 MB/s: 0.8 and 0.2 MB, 0.8 s each.
  CHECK(seconds(one_message(megabyte), with_rails(2, {{}, {"0.25MBps"}}), 0) == Approx(0.8).epsilon(1e-9));
}

TEST_CASE("stripes: each part shares its own rail, and the message is complete when the last one is") {
  // Rank 0 sends a megabyte over both rails, rank 1 half of one over the second rail at the same time. There,
  // 0.5 MB of each: both end at 1 s. The first part is over after 0.5 s.
  const Post divided = transfer(TransferKind::put, 2, megabyte);
  const Post whole = transfer(TransferKind::put, 3, megabyte / 2);
  const auto putting = [](const Post& put) {
    Body body = one_region(regions::put, {put});
    body.add_region(regions::wait, Complete::all());
    return body;
  };
  SmallPlatform platform(two_rails);
  platform.costs().stripe_above_bytes = megabyte / 2;
  const Schedule both = schedule_of_ranks({putting(divided), putting(whole), idle(), idle()}, 2);
  const ReplayResult result = replay::replay(both, *platform);
  CHECK(result.ranks[0].finish_s == Approx(1).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(1).epsilon(1e-9));
  CHECK(result.flows == 2);
}

TEST_CASE("stripes: several puts that are one flow are divided, but not the short ones among them") {
  // Two long puts: 2 MB over both rails. Then ten short ones on the rank's own: 1 MB.
  std::vector<Post> puts(2, transfer(TransferKind::put, 1, megabyte));
  puts.insert(puts.end(), 10, transfer(TransferKind::put, 1, megabyte / 10));
  Body body = one_region(regions::put, puts);
  body.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({body, idle()}, 1);
  // On the first rail: 1 MB of the long ones, and 1 MB of the short ones.
  CHECK(seconds(schedule, two_rails, 500'000) == Approx(2).epsilon(1e-9));
  CHECK(seconds(schedule, two_rails, 1000) == Approx(1.5).epsilon(1e-9));
  // Each of a repeated put is short, however many bytes they are together.
  const Post repeated = blocking(transfer(TransferKind::put, 1, megabyte / 10, 10));
  const Schedule many = schedule_of_ranks({one_region(regions::put, {repeated}), idle()}, 1);
  CHECK(seconds(many, two_rails, 500'000) == Approx(1).epsilon(1e-9));
}

TEST_CASE("stripes: the latency is the longest of the rails'") {
  // A route has two links. A short message takes that of its own rail.
  const std::string unlike = with_rails(2, {{"1MBps", "10ms"}, {"1MBps", "50ms"}});
  CHECK(seconds(one_message(megabyte), unlike, 1000) == Approx(0.5 + 2 * 0.05).epsilon(1e-7));
  CHECK(seconds(one_message(megabyte), unlike, 1e9) == Approx(1 + 2 * 0.01).epsilon(1e-7));
  // A put is complete when the target's answer is back, which is short.
  CHECK(seconds(one_put(megabyte), unlike, 1000) == Approx(0.5 + 2 * 0.05 + 2 * 0.01).epsilon(1e-7));
}

TEST_CASE("stripes: a long message asks its receiver first, by one rail") {
  SmallPlatform platform(with_rails(2, {{"1MBps", "10ms"}, {"1MBps", "50ms"}}));
  platform.costs().stripe_above_bytes = 1000;
  platform.costs().eager_limit_bytes = 1000;
  CHECK(replay::replay(one_message(megabyte), *platform).total_s ==
        Approx(2 * 0.01 + 2 * 0.01 + 0.5 + 2 * 0.05).epsilon(1e-7));
}

TEST_CASE("stripes: bandwidth_factors are those of the whole message") {
  SmallPlatform platform(two_rails);
  platform.costs().stripe_above_bytes = 1000;
  platform.costs().bandwidth_factors = {{{0, 1}, {600'000, 0.5}}};
  CHECK(replay::replay(one_message(megabyte), *platform).total_s == Approx(0.5 / 0.5).epsilon(1e-9));
  CHECK(replay::replay(one_message(500'000), *platform).total_s == Approx(0.25).epsilon(1e-9));
}

TEST_CASE(
    "stripes: the links of each rail carry its part, and the timeline's message arrives with the last") {
  SmallPlatform platform(with_rails(2, {{}, {"0.25MBps"}}));
  platform.costs().stripe_above_bytes = 1000;
  const Timeline timeline = replay_timeline(one_message(megabyte), *platform, 1);
  REQUIRE(timeline.links.size() == 4);
  std::vector<double> bytes;
  for (const LinkUse& link : timeline.links)
    bytes.push_back(link.bytes);
  std::ranges::sort(bytes);
  CHECK(bytes[0] == Approx(200'000));
  CHECK(bytes[1] == Approx(200'000));
  CHECK(bytes[2] == Approx(800'000));
  CHECK(bytes[3] == Approx(800'000));
  CHECK(std::ranges::count(timeline.links, 0, &LinkUse::node) == 2);
  CHECK(std::ranges::count(timeline.links, 1, &LinkUse::node) == 2);
  REQUIRE(timeline.critical_path.size() == 1);
  CHECK(timeline.critical_path.front().end_s == Approx(0.8).epsilon(1e-9));
}

TEST_CASE("stripes: contention is what other messages on the rails cost") {
  SmallPlatform platform(two_rails);
  platform.costs().stripe_above_bytes = 1000;
  const auto putting = [](int peer) {
    return one_region(regions::put, {blocking(transfer(TransferKind::put, peer, megabyte))});
  };
  const Schedule schedule = schedule_of_ranks({putting(2), putting(3), idle(), idle()}, 2);
  const SchedulePrograms programs(schedule);
  const std::vector<Contention> found =
      replay_contention({.schedule = &schedule, .platform = &*platform, .programs = &programs});
  REQUIRE(found.size() == 2);
  CHECK(found[0].late_s == Approx(1 - 0.5));
  CHECK(found[1].late_s == Approx(1 - 0.5));
}

TEST_CASE("stripes: puts and gets of random sizes end when those of SimGrid's own flows do") {
  constexpr int ranks_per_node = 2;
  constexpr int nodes = 4;
  std::mt19937 generator(7);
  const auto below = [&](int end) { return std::uniform_int_distribution(0, end - 1)(generator); };
  for (int run = 0; run < 20; ++run) {
    std::vector<Body> ranks;
    for (int rank = 0; rank < nodes * ranks_per_node; ++rank) {
      Body body;
      body.add_region(regions::compute, Work{std::int64_t{1 + below(4)} * second_of_memory});
      body.begin_region(regions::put);
      for (int i = 1 + below(4); i > 0; --i) {
        Post post =
            transfer(below(3) == 0 ? TransferKind::get : TransferKind::put,
                     (rank + ranks_per_node + below((nodes - 1) * ranks_per_node)) % (nodes * ranks_per_node),
                     10'000 * (1 + below(400)));
        post.blocking = below(2) == 0;
        body.add(post);
      }
      body.add_region(regions::wait, Complete::all());
      ranks.push_back(std::move(body));
    }
    SmallPlatform platform(with_rails(nodes, {{}, {run % 2 == 0 ? "1MBps" : "0.4MBps"}}));
    platform.costs().stripe_above_bytes = megabyte;
    const Schedule schedule = schedule_of_ranks(std::move(ranks), ranks_per_node);
    const ReplayResult result = replay::replay(schedule, *platform);
    ReplayOptions options;
    options.one_flow_per_message = true;
    const ReplayResult reference = replay::replay(schedule, *platform, options);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
      CHECK(result.ranks[rank].finish_s == Approx(reference.ranks[rank].finish_s).epsilon(1e-6));
  }
}

TEST_CASE("stripes: what cannot be divided is refused by name") {
  const auto refused = [](SmallPlatform& platform, const std::string& problem) {
    CHECK_THROWS_WITH(replay::replay(one_put(megabyte), *platform), Contains(problem));
    CHECK_THROWS_AS(replay::replay(one_put(megabyte), *platform), InputError);
  };
  SmallPlatform one_adapter(switched(2));
  one_adapter.costs().stripe_above_bytes = 1000;
  refused(one_adapter, "nodes have one network adapter each");
  SmallPlatform in_order(two_rails);
  in_order.costs().stripe_above_bytes = 1000;
  in_order.costs().replies_wait = true;
  refused(in_order, "which only the network 'shared' follows");
}
