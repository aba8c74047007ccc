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
  const std::vector<Program> on_2{rank({40, 40}, 7), rank({30, 50}, 7)};
  // One call took eight times as long, and others less.
  const std::vector<Program> on_4{rank({20, 20}, 7), rank({10, 10}, 7), rank({1, 1}, 7), rank({80, 18}, 7)};
  trends.add(2, on_2);
  trends.add(4, on_4);
  CHECK(trends.exponent(call("MPI_Allreduce", "MPI_Waitall", 80)) == Approx(-1));  // 40 to 20
  CHECK(trends.exponent(call("MPI_Waitall", "MPI_Allreduce", 7)) == Approx(0));
  CHECK(trends.exponent(call("MPI_Barrier", "MPI_Waitall", 7)) == 0);  // it was not recorded
}

TEST_CASE("the two recordings on most ranks decide a trend, and it is at most as steep as their number") {
  WorkTrends trends;
  for (const int ranks : {8, 2, 4})
    trends.add(ranks, std::vector<Program>{rank({ranks == 2 ? 1. : ranks == 4 ? 100. : 1000.}, 1)});
  CHECK(trends.exponent(call("MPI_Allreduce", "MPI_Waitall", 1)) == 1);  // 100 to 1000 is steeper
}
