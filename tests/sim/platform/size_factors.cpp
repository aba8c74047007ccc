// SPDX-License-Identifier: MIT
#include "sim/platform/size_factors.hpp"

#include <catch2/catch.hpp>

#include "platform_text.hpp"
#include "sim/platform/platform.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::test;

namespace {

const std::string host = "<host id='n' speed='1Gf'/>\n";

std::string with_setting(const std::string& properties, const std::string& setting) {
  std::string text = zone(memory_props + properties + host);
  text.insert(text.find("<zone"),
              "<config>\n<prop id='smpi/lat-factor' value='" + setting + "'/>\n</config>\n");
  return text;
}

}  // namespace

TEST_CASE("size factors are a property, or SimGrid's own setting, whose sizes have no unit") {
  const SizeFactors given =
      costs_of(zone(memory_props + "<prop id='latency_factors' value='64KiB:3;1KiB:1.5'/>\n" + host))
          .latency_factors;
  CHECK(given.of(0) == 1);
  CHECK(given.of(1024) == 1);
  CHECK(given.of(1025) == 1.5);
  CHECK(given.of(1e9) == 3);
  CHECK(costs_of(with_setting("", "65472:11.6436;0:2.01467")).latency_factors.of(1) == 2.01467);
  CHECK(costs_of(with_setting("<prop id='latency_factors' value='1B:7'/>", "0:2")).latency_factors.of(8) ==
        7);
  CHECK(costs_of(with_setting("", "0:2"), {"latency_factors=0B:5"}).latency_factors.of(8) == 5);
  CHECK(costs_of(with_setting("", "0:2")).bandwidth_factors.empty());
}

TEST_CASE("size factors that are none are refused with their line") {
  check_refused(with_setting("", "65472"), "is not of the form SIZE:FACTOR");
  check_refused(with_setting("", "0:-1"), "'-1' is no factor above 0");
  check_refused(with_setting("", "0:1;0:2"), "has two factors for one size");
  check_refused(with_setting("", ""), "no factor is given");
  check_refused(with_setting("", "1parsec:2"), "1parsec");
}
