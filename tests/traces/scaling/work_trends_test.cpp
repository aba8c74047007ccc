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
RecordedRank rank(const std::vector<double>& halved, double constant) {
  RecordedRank rank;
  rank.calls.push_back({.site = waitall, .work_ns = 0});
  for (const double work : halved) {
    rank.calls.push_back({.site = allreduce, .work_ns = work});
    rank.calls.push_back({.site = waitall, .work_ns = constant});
  }
  return rank;
}

/// Times are in units of 10 us here.
void add(WorkTrends& trends, Recording recording) {
  for (RecordedRank& rank : recording.ranks)
    for (RecordedCall& call : rank.calls)
      call.work_ns *= 1e4;
  trends.add(recording);
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
  add(trends, on_2);
  add(trends, on_4);
  CHECK(trends.exponent({waitall, allreduce}) == Approx(-1));  // 40 to 20
  CHECK(trends.exponent({allreduce, waitall}) == Approx(0).margin(1e-12));
  CHECK(trends.exponent({waitall, barrier}) == 0);  // it was not recorded
}

TEST_CASE("all recordings decide a trend, and it is at most as steep as the number of ranks") {
  WorkTrends trends;
  for (const int ranks : {8, 2, 4})
    add(trends, on(ranks, rank({ranks == 2 ? 1. : ranks == 4 ? 100. : 1000.}, 1)));
  CHECK(trends.exponent({waitall, allreduce}) == 1);  // 1 to 1000 is steeper
  WorkTrends bent;
  for (const int ranks : {2, 4, 8})
    add(bent, on(ranks, rank({ranks == 2 ? 40. : ranks == 4 ? 10. : 20.}, 1)));
  CHECK(bent.exponent({waitall, allreduce}) == Approx(-0.5).margin(0.01));  // 40 to 20 in two doublings
}

TEST_CASE("a trend that varies from call to call is drawn towards that of all work") {
  WorkTrends trends;
  // 1,000 times of 1 on 2 ranks and of 1/2 on 4, and two calls whose times differ by 20 from the mean.
  for (const int ranks : {2, 4}) {
    RecordedRank program = rank({}, 0);
    for (int n = 0; n < 1000; ++n)
      program.calls.push_back({.site = allreduce, .work_ns = 2. / ranks});
    for (const double work : {1., ranks == 2 ? 41. : 83.})
      program.calls.push_back({.site = waitall, .work_ns = work});
    add(trends, on(ranks, program));
  }
  CHECK(trends.exponent({waitall, allreduce}) == Approx(-1));
  // Its own slope is 1: 21 to 42. All together it is log2(584 / 1042) = -0.84.
  CHECK(trends.exponent({allreduce, waitall}) > -0.84);
  CHECK(trends.exponent({allreduce, waitall}) < 0.5);
}

TEST_CASE("a trend of all work that is uncertain is drawn towards -1/2") {
  // Work before a single call, which something disturbed on one rank of the larger recording.
  const auto trend = [](double disturbed) {
    WorkTrends trends;
    add(trends, on(8, rank({10}, 0)));
    Recording on_16 = on(16, rank({10}, 0));
    on_16.ranks.front() = rank({disturbed}, 0);
    add(trends, on_16);
    return trends.exponent({waitall, allreduce});
  };
  CHECK(trend(10) == Approx(0).margin(1e-12));
  // Their mean is 13.4 times as long as without, so the slope is 3.75, with an error of 1.34: that of all
  // work counts by 0.25 / (0.25 + 1.8), and gives 0.02.
  CHECK(trend(2000) < 0.6);
  CHECK(trend(2000) > 0.5);
}

TEST_CASE("work that is as short as the recorder's own has no trend") {
  const auto trend = [](double times_2_us) {
    WorkTrends trends;
    for (const int ranks : {4, 8, 16})
      add(trends, on(ranks, rank(std::vector<double>(20, times_2_us * 0.2 * 4 / ranks), 5)));
    return trends.exponent({waitall, allreduce});
  };
  CHECK(trend(0.99) == 0);
  CHECK(trend(1.01) == Approx(-1));
}

TEST_CASE("a long first iteration has no part in the trend of the others") {
  WorkTrends trends;
  for (const int ranks : {8, 16, 32}) {
    std::vector<double> times(20, 8000. / ranks);
    times.front() = 100'000;
    add(trends, on(ranks, rank(times, 1)));
  }
  CHECK(trends.exponent({waitall, allreduce}) == Approx(-1));
}

TEST_CASE("a recording that was slower as a whole makes a trend uncertain") {
  // All work shrinks with the ranks; what comes before one call took three times as long in the middle
  // recording.
  WorkTrends trends;
  for (const int ranks : {8, 16, 32}) {
    RecordedRank program = rank(std::vector<double>(20, 8000. / ranks), 1);
    program.calls.push_back({.site = barrier, .work_ns = ranks == 16 ? 300. : 100.});
    add(trends, on(ranks, program));
  }
  // Its own slope is 0, with an error of 0.92: three points, of which one is 0.73 above the line, two 0.37
  // below.
  CHECK(trends.exponent({waitall, barrier}) < -0.7);
  CHECK(trends.exponent({waitall, barrier}) > -0.8);
}
