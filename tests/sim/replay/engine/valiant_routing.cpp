// SPDX-License-Identifier: MIT
// `routing` = valiant. In all cases 1 MB takes a second on a link of 1 MB/s.
#include <catch2/catch.hpp>

#include "routed_messages.hpp"

using namespace finegrain;

namespace {

/// All eight nodes of the first group send to those of the second.
std::vector<MegabyteTo> group_to_group() {
  std::vector<MegabyteTo> messages;
  for (int node = 0; node < 8; ++node)
    messages.push_back({node, node + 8});
  return messages;
}

}  // namespace

TEST_CASE(
    "valiant routing: eight messages have the links of two other groups, and not the only shortest one") {
  SmallPlatform platform(four_groups());
  CHECK(ends_of(platform, 32, "minimal", group_to_group())[7] == Approx(8.).epsilon(1e-9));
  // Half of each message goes by group 2, and half by group 3: 8 x 1/2 MB on each link.
  for (const double end_s : ends_of(platform, 32, "valiant", group_to_group()))
    CHECK(end_s == Approx(8. / 2).epsilon(1e-9));
}

TEST_CASE("valiant routing: where all groups send to the next one, links carry each byte twice") {
  SmallPlatform platform(four_groups());
  std::vector<MegabyteTo> messages;
  for (int node = 0; node < 32; ++node)
    messages.push_back({node, (node + 8) % 32});
  CHECK(ends_of(platform, 32, "minimal", messages)[0] == Approx(8.).epsilon(1e-9));
  // From group 0 to group 2: half of its own 8 messages, and half of those from group 1 to 2, which may also
  // go by group 0.
  CHECK(ends_of(platform, 32, "valiant", messages)[0] == Approx(8. / 2 + 8. / 2).epsilon(1e-9));
}

TEST_CASE("valiant routing: within a group, messages go straight on") {
  SmallPlatform platform(four_groups());
  CHECK(ends_of(platform, 32, "valiant", {{0, 2}, {1, 4}})[1] == Approx(1.).epsilon(1e-9));
  CHECK(ends_of(platform, 32, "valiant", {{0, 2}, {1, 3}})[1] == Approx(2.).epsilon(1e-9));  // one link
}
