// SPDX-License-Identifier: MIT
#include "traces/io/units.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "traces/io/input_error.hpp"

using namespace finegrain;

TEST_CASE("units: bytes and bits, decimal and binary prefixes are told apart") {
  CHECK(parse_bandwidth_bytes_per_s("12.5GBps", "x") == 12.5e9);
  CHECK(parse_bandwidth_bytes_per_s("100Gbps", "x") == 100e9 / 8);
  CHECK(parse_bandwidth_bytes_per_s("6GiBps", "x") == 6.0 * 1024 * 1024 * 1024);
  CHECK(parse_size_bytes("8KiB", "x") == 8 * 1024);
  CHECK(parse_size_bytes("64B", "x") == 64);
  CHECK(parse_time_s("3.4us", "x") == Approx(3.4e-6));
  CHECK(parse_time_s("0s", "x") == 0);
}

TEST_CASE("units: a bandwidth is read as it is printed") {
  for (const char* text : {"12.5GB/s", "12.5 GB/s", "100Gb/s"})
    CHECK(parse_bandwidth_bytes_per_s(text, "x") == 12.5e9);
  CHECK(parse_bandwidth_bytes_per_s(format_bandwidth(12.5e9), "x") == 12.5e9);
  CHECK_THROWS_AS(parse_time_s("1m/s", "x"), InputError);
}

TEST_CASE("units: the papers' 75 GB/s is 75 * 1000 * 2^20 B/s") {
  CHECK(parse_bandwidth_bytes_per_s("78.6432GBps", "x") == Approx(75.0 * 1000 * 1024 * 1024));
}

TEST_CASE("units: what is not a number with a unit is refused, and the place is named") {
  for (const char* wrong :
       {"", "GBps", "12.5", "12.5 GBps", "-1GBps", "nanGBps", "infGBps", "1e999GBps", "1GBpsx", "1us"}) {
    CHECK_THROWS_AS(parse_bandwidth_bytes_per_s(wrong, "abel.xml:7"), InputError);
  }
  CHECK_THROWS_WITH(parse_time_s("3.4", "abel.xml:7"), Catch::StartsWith("abel.xml:7: '3.4'"));
}

TEST_CASE("units: a number without a unit is refused with the number as it may be meant") {
  CHECK_THROWS_WITH(parse_time_s("30", "--budget"), Catch::Contains("Write 30s, if it is in s"));
  CHECK_THROWS_WITH(parse_bandwidth_bytes_per_s("12.5", "x"), Catch::Contains("Write 12.5Bps"));
}

TEST_CASE("units: people read sizes, rates and times with three digits") {
  CHECK(format_bandwidth(12.5e9) == "12.5 GB/s");
  CHECK(format_size(65536) == "64.0 KiB");
  CHECK(format_time(3.4e-6) == "3.4 us");
  CHECK(format_time(0) == "0 s");
}

TEST_CASE("units: what is not zero does not read as zero") {
  CHECK(format_decimals(0.25, 3) == "0.250");
  CHECK(format_decimals(0, 3) == "0.000");
  CHECK(format_decimals(0.0006, 3) == "0.001");
  CHECK(format_decimals(1.24e-7, 6) == "1.2e-07");
  CHECK(format_decimals(-1.24e-7, 6) == "-1.2e-07");
  CHECK(format_decimals(std::numeric_limits<double>::infinity(), 3) == "inf");
}

TEST_CASE("units: one is counted in the singular, and nothing and more in the plural") {
  CHECK(format_count(0, "iteration") == "0 iterations");
  CHECK(format_count(1, "iteration") == "1 iteration");
  CHECK(format_count(2, "iteration") == "2 iterations");
}
