// SPDX-License-Identifier: MIT
// Collectives that a rank posts and completes later: they go on beside its work and beside one another.
#include <array>
#include <catch2/catch.hpp>
#include <utility>

#include "listed_programs.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

Collective posted(CollectiveKind kind, std::int64_t size_bytes, int root = 0) {
  return {.kind = kind, .blocking = false, .root = root, .element_bytes = 8, .size_bytes = size_bytes};
}

Complete request(std::int64_t posted_ago) {
  return {.oldest = posted_ago, .count = 1};
}

/// All ranks alike, a rank a node.
ReplayResult replay_alike(std::size_t ranks, const Calls& calls) {
  SmallPlatform platform(switched(static_cast<int>(ranks)));
  return replay_programs(ListedPrograms(std::vector<Calls>(ranks, calls)), *platform);
}

/// Two ranks with two communicators of both, 1 and 2.
class WithCommunicators : public ListedPrograms {
 public:
  using ListedPrograms::ListedPrograms;
  std::span<const std::int32_t> communicator(std::int32_t /*number*/) const override { return both_; }

 private:
  std::array<std::int32_t, 2> both_{0, 1};
};

}  // namespace

TEST_CASE("nonblocking collectives: a broadcast and the work beside it take as long as the longer one") {
  const Collective broadcast = posted(CollectiveKind::broadcast, megabyte);
  for (const double work_s : {0., 0.5, 3.}) {
    CAPTURE(work_s);
    const ReplayResult result = replay_alike(2, {{broadcast}, {Complete::all(), work_s}});
    CHECK(result.total_s == Approx(std::max(1., work_s)));
  }
}

TEST_CASE("nonblocking collectives: an allreduce goes from round to round while its ranks work") {
  // With two ranks the vector goes to rank 0, is added (two loads, one store at 12 GB/s), and comes back.
  const Collective sum = posted(CollectiveKind::allreduce, megabyte);
  const double alone_s = 1 + 3e6 / 12e9 + 1;
  CHECK(replay_alike(2, {{sum}, {Complete::all()}}).total_s == Approx(alone_s));
  CHECK(replay_alike(2, {{sum}, {Complete::all(), 1.5}}).total_s == Approx(alone_s));
  CHECK(replay_alike(2, {{sum}, {Complete::all(), 5}}).total_s == Approx(5));
}

TEST_CASE("nonblocking collectives: one that a rank posts late ends late for those that need its part") {
  SmallPlatform platform(switched(2));
  const Collective from_1 = posted(CollectiveKind::broadcast, megabyte, 1);
  const ListedPrograms programs({{{from_1}, {Complete::all(), 1}}, {{from_1, 2}, {Complete::all(), 4}}});
  const ReplayResult result = replay_programs(programs, *platform);
  CHECK(result.ranks[0].finish_s == Approx(2 + 1));
  CHECK(result.ranks[1].finish_s == Approx(2 + 4));
}

TEST_CASE("nonblocking collectives: several share the links that they have in common") {
  const Collective from_0 = posted(CollectiveKind::broadcast, megabyte, 0);
  const Collective from_1 = posted(CollectiveKind::broadcast, megabyte, 1);
  // Two in one direction have half a link each; two in opposite directions a whole one each.
  CHECK(replay_alike(2, {{from_0}, {from_0}, {Complete::all()}}).total_s == Approx(1 + 1));
  CHECK(replay_alike(2, {{from_0}, {from_1}, {Complete::all()}}).total_s == Approx(1));
}

TEST_CASE("nonblocking collectives: each is awaited alone") {
  // The short one ends after two tenths: until then both have half of the link.
  const Collective one_tenth = posted(CollectiveKind::broadcast, megabyte / 10);
  const Collective whole = posted(CollectiveKind::broadcast, megabyte);
  const ReplayResult result = replay_alike(2, {{whole}, {one_tenth}, {request(1)}});
  CHECK(result.total_s == Approx(0.1 + 0.1));
  CHECK(replay_alike(2, {{whole}, {one_tenth}, {request(2)}}).total_s == Approx(1 + 0.1));
}

TEST_CASE("nonblocking collectives: ranks that await those of two communicators in opposite orders go on") {
  Collective one = posted(CollectiveKind::allreduce, 8), other = one;
  one.communicator = 1;
  other.communicator = 2;
  SmallPlatform platform(switched(2));
  const WithCommunicators programs(
      {{{one}, {other}, {request(2)}, {request(1)}}, {{one}, {other}, {request(1)}, {request(2)}}});
  CHECK(replay_programs(programs, *platform).total_s < 1);
}

TEST_CASE("nonblocking collectives: a hundred at once, and more than can be told apart by number") {
  Calls calls(100, {posted(CollectiveKind::broadcast, megabyte / 100)});
  calls.push_back({Complete::all()});
  CHECK(replay_alike(2, calls).total_s == Approx(100 * 0.01));
}

TEST_CASE("nonblocking collectives: work of a sum takes its share of the node's memory bandwidth") {
  SmallPlatform platform(switched(1));
  platform.costs().memory_bandwidth_bytes_per_s = 12e9;
  const Collective sum = posted(CollectiveKind::allreduce, 1'000 * megabyte);
  // Two ranks of a node: rank 1 copies its vector (2 n bytes), rank 0 adds it (3 n), and copies the sum back
  // (2 n). Nothing else uses the memory, so that each has all of it.
  const ListedPrograms programs(std::vector<Calls>(2, {{sum}, {Complete::all()}}));
  CHECK(replay_programs(programs, *platform, {}, 2).total_s == Approx((2e9 + 3e9 + 2e9) / 12e9));
}
