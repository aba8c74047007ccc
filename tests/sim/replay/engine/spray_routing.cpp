// SPDX-License-Identifier: MIT
// `routing` = spray. In all cases 1 MB takes a second on a link of 1 MB/s.
#include <catch2/catch.hpp>

#include "routed_messages.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Catch::Contains;

TEST_CASE("spray routing: two messages that collide on SimGrid's way have all uplinks together") {
  SmallPlatform platform(two_leaves());
  // Both destinations are even: one uplink for two messages.
  CHECK(ends_of(platform, 8, "", {{0, 4}, {1, 6}})[0] == Approx(2.).epsilon(1e-9));
  CHECK(ends_of(platform, 8, "minimal", {{0, 4}, {1, 6}})[0] == Approx(2.).epsilon(1e-9));
  // Half of each message is on each uplink: 2 x 1/2 = 1 MB in a second.
  CHECK(ends_of(platform, 8, "spray", {{0, 4}, {1, 6}})[0] == Approx(1.).epsilon(1e-9));
  CHECK(ends_of(platform, 8, "spray", {{0, 4}, {1, 6}})[1] == Approx(1.).epsilon(1e-9));
  // Four messages and two uplinks.
  CHECK(ends_of(platform, 8, "spray", {{0, 4}, {1, 6}, {2, 5}, {3, 7}})[3] == Approx(4. / 2).epsilon(1e-9));
}

TEST_CASE("spray routing: a message within a switch has the same share of a link as one that is sprayed") {
  SmallPlatform platform(two_leaves());
  for (const double end_s : ends_of(platform, 8, "spray", {{1, 0}, {4, 0}}))
    CHECK(end_s == Approx(2.).epsilon(1e-9));
}

TEST_CASE("spray routing: a slow uplink holds back the messages of which half has to pass it") {
  SmallPlatform platform(
      two_leaves("<prop id='link_change' value='link:link_from_15_13_8 bandwidth=x0.25'/>"));
  // 1/2 MB at 0.25 MB/s.
  CHECK(ends_of(platform, 8, "spray", {{0, 4}})[0] == Approx(0.5 / 0.25).epsilon(1e-9));
}

TEST_CASE(
    "spray routing: a platform in which there is nothing to choose is refused, and so is what is none") {
  SmallPlatform on_switch(switched(2));
  CHECK_THROWS_WITH(ends_of(on_switch, 2, "spray", {{0, 1}}), Contains("single switch"));
  SmallPlatform dragonfly(four_groups());
  CHECK_THROWS_WITH(ends_of(dragonfly, 32, "spray", {{0, 8}}), Contains("is a dragonfly"));
  SmallPlatform fat_tree(two_leaves());
  CHECK_THROWS_WITH(ends_of(fat_tree, 8, "sprayed", {{0, 4}}),
                    Contains("'sprayed' is not a routing") && Contains("adaptive"));
  (*fat_tree).network = "credit:4x4KiB";
  CHECK_THROWS_WITH(ends_of(fat_tree, 8, "spray", {{0, 4}}), Contains("network"));
  (*fat_tree).network = "";
  fat_tree.costs().replies_wait = true;
  CHECK_THROWS_WITH(ends_of(fat_tree, 8, "spray", {{0, 4}}), Contains("replies"));
}

TEST_CASE("spray routing: SimGrid's own flows take SimGrid's way") {
  SmallPlatform platform(two_leaves());
  (*platform).routing = "spray";
  CHECK_THROWS_WITH(
      replay::replay(schedule_of_ranks({idle(), idle()}, 1), *platform, {.one_flow_per_message = true}),
      Contains("routing"));
}
