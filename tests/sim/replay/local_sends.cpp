// SPDX-License-Identifier: MIT
// Sends within a node that a recorded program posts and completes later: their copies go on beside its work.
#include <catch2/catch.hpp>

#include "listed_programs.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

constexpr std::int64_t half_a_second = 3'000'000'000;  ///< bytes: copied, twice as many move at 12 GB/s

Post local_send(bool blocking = false) {
  return {.kind = TransferKind::send, .blocking = blocking, .peer = 1, .size_bytes = half_a_second};
}
const Post local_receive{.kind = TransferKind::receive, .peer = 0, .size_bytes = half_a_second};

/// Two ranks of one node, whose messages have no latency.
ReplayResult replay_on_a_node(const Calls& sender, const Calls& receiver,
                              std::optional<double> eager_limit_bytes = std::nullopt) {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 0;
  platform.costs().eager_limit_bytes = eager_limit_bytes;
  return replay_programs(ListedPrograms({sender, receiver}), *platform, {}, 2);
}

}  // namespace

TEST_CASE("local sends: a posted one and the work beside it take as long as the longer of the two") {
  for (const double work_s : {0., 0.2, 2.}) {
    CAPTURE(work_s);
    const ReplayResult result =
        replay_on_a_node({{local_send()}, {Complete::all(), work_s}}, {{local_receive}, {Complete::all()}});
    CHECK(result.ranks[0].finish_s == Approx(std::max(0.5, work_s)));
    CHECK(result.ranks[1].finish_s == Approx(0.5));
  }
}

TEST_CASE("local sends: a rank copies one message after the other") {
  const ReplayResult result = replay_on_a_node(
      {{local_send()}, {local_send()}, {Complete::all(), 0.2}},
      {{local_receive}, {local_receive}, {Complete{.oldest = 2, .count = 1}}, {Complete::all()}});
  CHECK(result.ranks[0].finish_s == Approx(0.5 + 0.5));
  CHECK(result.ranks[1].finish_s == Approx(0.5 + 0.5));
}

TEST_CASE("local sends: a blocking one is copied by its rank, before its next work") {
  const ReplayResult result =
      replay_on_a_node({{local_send(true)}, {Complete::all(), 2}}, {{local_receive}, {Complete::all()}});
  CHECK(result.ranks[0].finish_s == Approx(0.5 + 2));
}

TEST_CASE("local sends: beyond the eager limit one is copied when its receive is posted") {
  const ReplayResult result =
      replay_on_a_node({{local_send()}, {Complete::all(), 0.2}}, {{local_receive, 3}, {Complete::all()}}, 0.);
  CHECK(result.ranks[0].finish_s == Approx(3 + 0.5));
  CHECK(result.ranks[1].finish_s == Approx(3 + 0.5));
}

TEST_CASE("local sends: between memory domains, half of a copy goes over each") {
  SmallPlatform platform(switched(1));
  (*platform).memory_domains = 2;
  platform.costs().memory_bandwidth_bytes_per_s = 8e9;
  platform.costs().local_latency_s = 0;
  const auto to = [](TransferKind kind, std::int32_t peer) {
    return Post{.kind = kind, .peer = peer, .size_bytes = half_a_second};
  };
  using enum TransferKind;
  // Ranks 0 and 1 have domain 0. 0 sends to 2, and 1 to 0: each moves 6 GB, of which 3 of the former over
  // domain 1.
  const ReplayResult result =
      replay_programs(ListedPrograms({{{to(send, 2)}, {to(receive, 1)}, {Complete::all()}},
                                      {{to(send, 0)}, {Complete::all()}},
                                      {{to(receive, 0)}, {Complete::all()}},
                                      {}}),
                      *platform, {}, 4);
  const double shared_s = 3 / (4. / 2);
  CHECK(result.ranks[1].finish_s == Approx(shared_s + 3 / 4.));
  CHECK(result.ranks[2].finish_s == Approx(shared_s + 3 / 4.));
}
