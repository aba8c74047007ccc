// SPDX-License-Identifier: MIT
// `routing` = ugal. In all cases 1 MB takes a second on a link of 1 MB/s.
#include <algorithm>
#include <catch2/catch.hpp>

#include "routed_messages.hpp"

using namespace finegrain;

TEST_CASE("ugal routing: the second message of a full link goes around") {
  SmallPlatform platform(four_groups());
  // Nodes 2 and 3 are on the switch that has the link to group 1.
  const std::vector<MegabyteTo> messages{{2, 8}, {3, 12}};
  CHECK(ends_of(platform, 32, "minimal", messages)[0] == Approx(2.).epsilon(1e-9));
  for (const double end_s : ends_of(platform, 32, "ugal", messages))
    CHECK(end_s == Approx(1.).epsilon(1e-9));
}

TEST_CASE("ugal routing: eight messages to one group share its link and two ways around") {
  SmallPlatform platform(four_groups());
  std::vector<MegabyteTo> messages;
  for (int node = 0; node < 8; ++node)
    messages.push_back({node, node + 8});
  const std::vector<double> ends_s = ends_of(platform, 32, "ugal", messages);
  // No policy is faster than 8 MB over three links. The queue of the shortest way may be longer than those of
  // the detours, by how much longer these are. Valiant needs 4 s.
  CHECK(*std::ranges::max_element(ends_s) >= 8. / 3 - 1e-9);
  CHECK(*std::ranges::max_element(ends_s) < 1.3 * 8 / 3);
}
