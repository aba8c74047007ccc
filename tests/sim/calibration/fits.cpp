// SPDX-License-Identifier: MIT
#include "sim/calibration/fits.hpp"

#include <catch2/catch.hpp>

#include "known_machine.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::calibration;
using Catch::Matchers::Contains;

TEST_CASE("memory: each rank gets one core's bandwidth until the node's is used up") {
  const Calibration found = known_node();
  CHECK(modelled_bandwidth_bytes_per_s(found, 1) == 10e9);
  CHECK(modelled_bandwidth_bytes_per_s(found, 2) == 2 * 10e9);
  CHECK(modelled_bandwidth_bytes_per_s(found, 3) == 24e9);
}

TEST_CASE("a machine that is as the model says is taken at any tolerance") {
  CHECK_NOTHROW(refuse_bad_fits(known_cluster(), 1e-6));
}

TEST_CASE(
    "a message that takes four times as long as its neighbours say is refused, with how bad and where") {
  Calibration found = known_node();
  found.within_node.times[1].half_round_trip_s.median *= 4;
  CHECK_THROWS_WITH(refuse_bad_fits(found, 0.5),
                    Contains("messages within a node: -") && Contains("at 1024 B (allowed: 50 %)"));
  CHECK_NOTHROW(refuse_bad_fits(found, 0.9));
}

TEST_CASE(
    "a memory that saturates sooner than min(ranks x core, node) is refused, with the number of ranks") {
  Calibration found = known_node();
  found.triad_bytes_per_s[1].value.median = 16e9;  // the model: 20 GB/s
  CHECK_THROWS_WITH(refuse_bad_fits(found, 0.2), Contains("memory bandwidth by ranks: +25 % with 2 ranks"));
  CHECK_NOTHROW(refuse_bad_fits(found, 0.26));
}

TEST_CASE("messages that get no slower with their size have no bandwidth, and are refused at any tolerance") {
  Calibration found = known_node();
  for (std::size_t i = 0; i < found.within_node.times.size(); ++i)
    found.within_node.times[i].half_round_trip_s.median = 1e-6 * static_cast<double>(4 - i);
  CHECK_THROWS_WITH(refuse_bad_fits(found, 1e6), Contains("neither can be negative"));
}
