// SPDX-License-Identifier: MIT
#include "sim/platform/compute_scales.hpp"

#include <catch2/catch.hpp>

#include "platform_text.hpp"
#include "sim/platform/platform.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using Catch::Matchers::Contains;

namespace {

ComputeScales parsed(const std::string& text) {
  return parse_compute_scales(text, "--compute-scale");
}

}  // namespace

TEST_CASE("compute scales: one factor, and others by the names of hosts, in any order") {
  CHECK(parsed("0.5").of_others == 0.5);
  CHECK(parsed("0.5").of_hosts.empty());
  const ComputeScales both = parsed("slow-*=1.5,0.8,slow-[0-3]=2e0");
  CHECK(both.of_others == 0.8);
  REQUIRE(both.of_hosts.size() == 2);
  CHECK(both.of_hosts[0].names == "slow-*");
  CHECK(both.of_hosts[0].scale == 1.5);
  CHECK(both.of_hosts[1].names == "slow-[0-3]");
  CHECK(parsed("fat=0.8").of_others == 1);
}

TEST_CASE("compute scales: what is none is refused") {
  for (const char* text : {"", "fast", "-1", "slow=", "slow=fast", "0.5x", "1e7", "nan", "a=1,"})
    CHECK_THROWS_WITH(parsed(text), Contains("is not a number from 0 to 1000000"));
  CHECK_THROWS_WITH(parsed("1,2"), Contains("two factors without a name"));
  CHECK_THROWS_WITH(parsed("0,slow=1"), Contains("no time on some hosts"));
}
