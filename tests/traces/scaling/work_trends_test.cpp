// SPDX-License-Identifier: MIT
#include "traces/scaling/work_trends.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

constexpr int waitall = 0;
constexpr int allreduce = 1;
constexpr int barrier = 2;

/// A rank's calls, each of which works before it: those that halve with twice the ranks, and those that do
/// not.
RecordedRank rank(const std::vector<double>& halved_ns, double constant_ns) {
  RecordedRank rank;
  rank.calls.push_back({.site = waitall, .work_ns = 0});
  for (const double work_ns : halved_ns) {
    rank.calls.push_back({.site = allreduce, .work_ns = work_ns});
    rank.calls.push_back({.site = waitall, .work_ns = constant_ns});
  }
  return rank;
}

/// All ranks do the same.
Recording on(int ranks, const RecordedRank& program) {
  return {"file", std::vector<RecordedRank>(static_cast<std::size_t>(ranks), program)};
}

}  // namespace

TEST_CASE("work between the same two places has one trend, of all ranks and calls together") {
  WorkTrends trends;
  const Recording on_2{"on2", {rank({40, 40}, 7), rank({40, 40}, 7)}};
  // One rank has more work, and others less.
  const Recording on_4{"on4", {rank({20, 20}, 7), rank({10, 10}, 7), rank({1, 1}, 7), rank({49, 49}, 7)}};
  trends.add(on_2);
  trends.add(on_4);
  CHECK(trends.exponent({waitall, allreduce}) == Approx(-1));  // 40 to 20
  CHECK(trends.exponent({allreduce, waitall}) == Approx(0).margin(1e-12));
  CHECK(trends.exponent({waitall, barrier}) == 0);  // it was not recorded
}

TEST_CASE("all recordings decide a trend, and it is at most as steep as the number of ranks") {
  WorkTrends trends;
  for (const int ranks : {8, 2, 4})
    trends.add(on(ranks, rank({ranks == 2 ? 1. : ranks == 4 ? 100. : 1000.}, 1)));
  CHECK(trends.exponent({waitall, allreduce}) == 1);  // 1 to 1000 is steeper
  WorkTrends bent;
  for (const int ranks : {2, 4, 8})
    bent.add(on(ranks, rank({ranks == 2 ? 40. : ranks == 4 ? 10. : 20.}, 1)));
  CHECK(bent.exponent({waitall, allreduce}) == Approx(-0.5));  // 40 to 20 in two doublings
}

TEST_CASE("a trend that varies from call to call is drawn towards that of all work") {
  WorkTrends trends;
  // 1,000 times of 1 on 2 ranks and of 1/2 on 4, and two calls whose times differ by 20 from the mean.
  for (const int ranks : {2, 4}) {
    RecordedRank program = rank({}, 0);
    for (int n = 0; n < 1000; ++n)
      program.calls.push_back({.site = allreduce, .work_ns = 2. / ranks});
    for (const double work_ns : {1., ranks == 2 ? 41. : 83.})
      program.calls.push_back({.site = waitall, .work_ns = work_ns});
    trends.add(on(ranks, program));
  }
  CHECK(trends.exponent({waitall, allreduce}) == Approx(-1));
  // Its own slope is 1: 21 to 42. All together it is log2(584 / 1042) = -0.84.
  CHECK(trends.exponent({allreduce, waitall}) > -0.84);
  CHECK(trends.exponent({allreduce, waitall}) < 0.5);
}
