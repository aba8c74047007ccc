// SPDX-License-Identifier: MIT
#include "sim/cli/workload.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::cli;

namespace {

/// A command with a flag for numbers and --set.
struct SmallCommand {
  SmallCommand() {
    add_numbers(app, "--ranks", ranks, "Ranks");
    add_overrides(app, overrides, "Costs");
  }
  void parse(const std::string& line) { app.parse(line); }
  CLI::App app{"", "small"};
  std::vector<int> ranks;
  std::vector<std::string> overrides;
};

}  // namespace

TEST_CASE("a flag for numbers takes ranges and powers of two beside single ones") {
  SmallCommand small;
  small.parse("--ranks 1,3..5 --ranks '10..30 step 10,powers of two 32..64'");
  CHECK(small.ranks == std::vector{1, 3, 4, 5, 10, 20, 30, 32, 64});
}

TEST_CASE("a flag for numbers refuses what is no number of 1 or more, and what no int holds") {
  CHECK_THROWS_AS(SmallCommand().parse("--ranks 0"), InputError);
  CHECK_THROWS_AS(SmallCommand().parse("--ranks 5..3"), InputError);
  CHECK_THROWS_AS(SmallCommand().parse("--ranks 2147483648"), InputError);
}

TEST_CASE("several properties in one --set are as several flags, and each may be repeated") {
  SmallCommand small;
  small.parse("--set tau=1us,link_latency=x2 --set socket_power=idle=20W,1=43W");
  CHECK(small.overrides ==
        std::vector<std::string>{"tau=1us", "link_latency=x2", "socket_power=idle=20W,1=43W"});
}
