// SPDX-License-Identifier: MIT
// `routing` = adaptive. In all cases 1 MB takes a second on a link of 1 MB/s.
#include <catch2/catch.hpp>

#include "routed_messages.hpp"

using namespace finegrain;

TEST_CASE("adaptive routing: on free uplinks, messages are sprayed") {
  SmallPlatform platform(two_leaves());
  for (const double end_s : ends_of(platform, 8, "adaptive", {{0, 4}, {1, 6}}))
    CHECK(end_s == Approx(1.).epsilon(1e-9));
}

TEST_CASE("adaptive routing: a slow uplink gets as many packets as it can carry in the same time") {
  SmallPlatform platform(
      two_leaves("<prop id='link_change' value='link:link_from_15_13_8 bandwidth=x0.25'/>"));
  // 13 of 64 packets at 0.25 MB/s take 13 / 64 / 0.25 = 0.8 s, so the node's own link is what limits.
  CHECK(ends_of(platform, 8, "adaptive", {{0, 4}})[0] == Approx(1.).epsilon(1e-9));
  // Two messages: 25 of 128 packets on the slow uplink take 25/64 MB / 0.25 MB/s = 1.56 s, and 103 on the
  // other one 103/64 = 1.61 s.
  CHECK(ends_of(platform, 8, "adaptive", {{0, 4}, {1, 6}})[0] == Approx(103. / 64).epsilon(1e-9));
}

TEST_CASE("adaptive routing: four messages have two uplinks") {
  SmallPlatform platform(two_leaves());
  const auto ends = ends_of(platform, 8, "adaptive", {{0, 4}, {1, 6}, {2, 5}, {3, 7}});
  for (const double end_s : ends)
    CHECK(end_s == Approx(4. / 2).epsilon(1e-9));
}

TEST_CASE("adaptive routing: two replays give the same times to the last digit") {
  SmallPlatform platform(
      two_leaves("<prop id='link_change' value='link:link_from_15_13_8 bandwidth=x0.3'/>"));
  const std::vector<MegabyteTo> messages{{0, 4}, {1, 6}, {2, 5}, {3, 7}, {4, 0}, {5, 2}, {6, 3}};
  CHECK(ends_of(platform, 8, "adaptive", messages) == ends_of(platform, 8, "adaptive", messages));
}
