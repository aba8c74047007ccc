// SPDX-License-Identifier: MIT
#include "traces/scaling/work_trends.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace finegrain;
using namespace finegrain::scaling;

namespace {

Call call(const char* function, const char* after, double work_ns) {
  return {.function = RegionName(function),
          .operations = {},
          .sizes = {},
          .work_ns = work_ns,
          .after = RegionName(after)};
}

/// A rank's calls, each of which works before it: those that halve with twice the ranks, and those that do
/// not.
Program rank(const std::vector<double>& halved_ns, double constant_ns) {
  Program program;
  for (const double work_ns : halved_ns) {
    program.push_back({call("MPI_Allreduce", "MPI_Waitall", work_ns), {}, 0});
    program.push_back({call("MPI_Waitall", "MPI_Allreduce", constant_ns), {}, 0});
  }
  return program;
}

}  // namespace

TEST_CASE("work between the same two functions has one trend, of all ranks and calls together") {
  WorkTrends trends;
  const std::vector<Program> on_2{rank({40, 40}, 7), rank({40, 40}, 7)};
  // One rank has more work, and others less.
  const std::vector<Program> on_4{rank({20, 20}, 7), rank({10, 10}, 7), rank({1, 1}, 7), rank({49, 49}, 7)};
  trends.add(2, on_2);
  trends.add(4, on_4);
  CHECK(trends.exponent(call("MPI_Allreduce", "MPI_Waitall", 80)) == Approx(-1));  // 40 to 20
  CHECK(trends.exponent(call("MPI_Waitall", "MPI_Allreduce", 7)) == Approx(0).margin(1e-12));
  CHECK(trends.exponent(call("MPI_Barrier", "MPI_Waitall", 7)) == 0);  // it was not recorded
}

TEST_CASE("all recordings decide a trend, and it is at most as steep as the number of ranks") {
  WorkTrends trends;
  for (const int ranks : {8, 2, 4})
    trends.add(ranks, std::vector<Program>{rank({ranks == 2 ? 1. : ranks == 4 ? 100. : 1000.}, 1)});
  CHECK(trends.exponent(call("MPI_Allreduce", "MPI_Waitall", 1)) == 1);  // 1 to 1000 is steeper
  WorkTrends bent;
  for (const int ranks : {2, 4, 8})
    bent.add(ranks, std::vector<Program>{rank({ranks == 2 ? 40. : ranks == 4 ? 10. : 20.}, 1)});
  CHECK(bent.exponent(call("MPI_Allreduce", "MPI_Waitall", 1)) == Approx(-0.5));  // 40 to 20 in two doublings
}

TEST_CASE("a trend that varies from call to call is drawn towards that of all work") {
  WorkTrends trends;
  // 1,000 times of 1 on 2 ranks and of 1/2 on 4, and two calls whose times differ by 20 from the mean.
  for (const int ranks : {2, 4}) {
    Program program;
    for (int n = 0; n < 1000; ++n)
      program.push_back({call("MPI_Allreduce", "MPI_Waitall", 2. / ranks), {}, 0});
    for (const double work_ns : {1., ranks == 2 ? 41. : 83.})
      program.push_back({call("MPI_Waitall", "MPI_Allreduce", work_ns), {}, 0});
    trends.add(ranks, std::vector<Program>(static_cast<std::size_t>(ranks), program));
  }
  CHECK(trends.exponent(call("MPI_Allreduce", "MPI_Waitall", 1)) == Approx(-1));
  // Its own slope is 1: 21 to 42. All together it is log2(584 / 1042) = -0.84.
  CHECK(trends.exponent(call("MPI_Waitall", "MPI_Allreduce", 1)) > -0.84);
  CHECK(trends.exponent(call("MPI_Waitall", "MPI_Allreduce", 1)) < 0.5);
}
