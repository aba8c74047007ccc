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

TEST_CASE("messages between nodes that get no slower with their size have no bandwidth, and are refused") {
  Calibration found = known_cluster();
  for (std::size_t i = 0; i < found.between_nodes->times.size(); ++i)
    found.between_nodes->times[i].half_round_trip_s.median = 1e-6 * static_cast<double>(4 - i);
  CHECK_THROWS_WITH(refuse_bad_fits(found, 1e6), Contains("say no bandwidth"));
}

TEST_CASE("within a node, where memory says how long bytes take, times that do not grow are one latency") {
  Calibration found = known_node();
  found.within_node.times = {{8, {2e-6, 2e-6, 2e-6, 9}}, {65536, {1e-6, 1e-6, 1e-6, 9}}};
  CHECK_NOTHROW(refuse_bad_fits(found, 1));
  // The sum of ((a - 2) / 2)^2 and (a - 1)^2 is least where a / 4 - 1 / 2 + a - 1 = 0.
  CHECK(fit_messages(found.within_node).intercept == Approx(1.5 / 1.25 * 1e-6));
  CHECK(fit_messages(found.within_node).slope == 0);
}
