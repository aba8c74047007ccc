// SPDX-License-Identifier: MIT
#include "sim/answer/efficiency.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace finegrain;
using namespace finegrain::answer;

namespace {

/// What a rank spends in a region, and its work before these calls.
struct InRegion {
  std::string region;
  double call_s, work_s;
};

/// A result of such ranks, the longest of which takes as long as the run.
replay::ReplayResult result_of(const std::vector<std::vector<InRegion>>& ranks) {
  replay::ReplayResult result;
  for (const std::vector<InRegion>& regions : ranks) {
    replay::RankReplay& rank = result.ranks.emplace_back();
    std::vector<std::string>& names = result.regions.emplace_back(std::vector<std::string>{"compute"});
    rank.phases_s = {0};
    rank.work_before_s = {0};
    for (const InRegion& in : regions) {
      names.push_back(in.region);
      rank.phases_s.push_back(in.call_s);
      rank.work_before_s.push_back(in.work_s);
      rank.phases_s.front() += in.work_s;
      rank.finish_s += in.call_s + in.work_s;
    }
    result.total_s = std::max(result.total_s, rank.finish_s);
  }
  return result;
}

const RegionEfficiency& region(const LocatedEfficiency& located, const std::string& name) {
  return *std::ranges::find(located.regions, name, &RegionEfficiency::region);
}

}  // namespace

TEST_CASE("efficiency: a region's factors are of the ranks that call there, and of the longest stay") {
  // Rank 2 never calls A. Rank 1 stays there for 4 s, and for 3 s where the network costs nothing.
  const auto simulated = result_of({{{"A", 1, 2}}, {{"A", 3, 1}}, {{"B", 0, 4}}});
  const auto ideal = result_of({{{"A", 0, 2}}, {{"A", 2, 1}}, {{"B", 0, 4}}});
  const LocatedEfficiency located = located_efficiency(simulated, ideal);
  const RegionEfficiency& a = region(located, "A");
  CHECK(a.ranks == 2);
  CHECK(a.efficiency.factors->load_balance == Approx((2 + 1) / 2. / 2));
  CHECK(a.efficiency.factors->serialisation == Approx(2 / 3.));
  CHECK(a.efficiency.factors->transfer == Approx(3 / 4.));
  CHECK(*a.efficiency.parallel() == Approx((2 + 1) / 2. / 4));
  CHECK(a.share == Approx((3 + 4) / 12.));
  CHECK(a.lost == Approx((1 + 3) / 12.));
  CHECK(located.regions.front().region == "A");
}

TEST_CASE("efficiency: losses of regions, and the time after a rank's end, are what the run lacks to 1") {
  const auto simulated = result_of({{{"A", 1, 2}, {"B", 0.5, 0.25}}, {{"A", 3, 1}}, {{"B", 0, 2}}});
  const LocatedEfficiency located = located_efficiency(simulated, simulated);
  double lost = 0;
  double share = 0;
  for (const RegionEfficiency& each : located.regions) {
    lost += each.lost;
    share += each.share;
  }
  CHECK(lost == Approx(1 - *located.run.parallel()));
  CHECK(share == Approx(1));
  CHECK(region(located, ended_before_others).lost == Approx((0.25 + 2) / 12));
  CHECK(!region(located, ended_before_others).efficiency.parallel());
}

TEST_CASE("efficiency: work that no call follows, as in a run that was killed, is a region of its own") {
  auto simulated = result_of({{{"A", 1, 2}}, {{"A", 3, 1}}});
  simulated.ranks[0].phases_s.front() += 1;  // of compute
  const LocatedEfficiency located = located_efficiency(simulated, simulated);
  CHECK(region(located, after_last_call).ranks == 1);
  CHECK(region(located, after_last_call).share == Approx(1 / 8.));
  CHECK(region(located, after_last_call).lost == 0);
  CHECK(region(located, ended_before_others).share == Approx(0).margin(1e-12));
}

TEST_CASE("efficiency: transfer is over 1 where ranks wait elsewhere if the network costs nothing") {
  const auto simulated = result_of({{{"A", 2, 1}, {"B", 0, 1}}});
  const auto ideal = result_of({{{"A", 0, 1}, {"B", 1, 1}}});
  const LocatedEfficiency located = located_efficiency(simulated, ideal);
  CHECK(region(located, "A").efficiency.factors->transfer == Approx(1 / 3.));
  CHECK(region(located, "B").efficiency.factors->transfer == Approx(2));
  CHECK(*region(located, "B").efficiency.communication() == Approx(1));
}

TEST_CASE("efficiency: without work only the products are known, and without time nothing is") {
  const auto simulated = result_of({{{"A", 2, 0}, {"B", 0, 0}}});
  const LocatedEfficiency located = located_efficiency(simulated, simulated);
  CHECK(!located.run.factors);
  CHECK(*region(located, "A").efficiency.parallel() == 0);
  CHECK(std::ranges::find(located.regions, "B", &RegionEfficiency::region) == located.regions.end());
  CHECK(located_efficiency(result_of({{}}), result_of({{}})).regions.empty());
  CHECK(!efficiency_of(std::vector{0.}, 0, 0).parallel());
}
