// SPDX-License-Identifier: MIT
// `network`: which of the networks a platform has.
#include <catch2/catch.hpp>
#include <string>

#include "../small_platform.hpp"
#include "sim/replay/replay.hpp"

using namespace finegrain;
using Catch::Contains;

namespace {

/// Two ranks put to each other, rank 0 1 MB, rank 1 2 MB. @returns when rank 0 knows that its own are there
double end_of_first(SmallPlatform& platform, const std::string& network) {
  const auto puts = [](int peer, std::int64_t bytes) {
    return one_region(regions::put, {blocking(transfer(TransferKind::put, peer, bytes))});
  };
  (*platform).network = network;
  return replay::replay(schedule_of_ranks({puts(1, megabyte), puts(0, 2 * megabyte)}, 1), *platform)
      .ranks[0]
      .finish_s;
}

}  // namespace

TEST_CASE("networks: without `network`, the other properties choose, and a name says the same") {
  SmallPlatform platform(switched(2));
  CHECK(end_of_first(platform, "") == Approx(1.));
  CHECK(end_of_first(platform, "shared") == Approx(1.));
  platform.costs().replies_wait = true;  // rank 0's reply waits behind rank 1's data
  CHECK(end_of_first(platform, "") == Approx(2.));
  CHECK(end_of_first(platform, "ordered") == Approx(2.));
}

TEST_CASE("networks: a name that is unknown, or whose properties the network does not follow, is refused") {
  SmallPlatform platform(switched(2));
  CHECK_THROWS_WITH(end_of_first(platform, "infiniband"), Contains("'infiniband'") && Contains("ordered"));
  CHECK_THROWS_WITH(end_of_first(platform, "shared:4"), Contains("has no parameters"));
  platform.costs().replies_wait = true;
  CHECK_THROWS_WITH(end_of_first(platform, "shared"), Contains("replies"));
}

TEST_CASE("networks: SimGrid's own flows have no other network") {
  SmallPlatform platform(switched(2));
  (*platform).network = "ordered";
  CHECK_THROWS_WITH(
      replay::replay(schedule_of_ranks({idle(), idle()}, 1), *platform, {.one_flow_per_message = true}),
      Contains("network"));
}
