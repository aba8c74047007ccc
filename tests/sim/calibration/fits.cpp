// SPDX-License-Identifier: MIT
#include "sim/calibration/fits.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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

namespace {

/// Two nodes between which messages of up to 8 KiB lie on another line than longer ones, which cost 3 us more
/// than their bytes and two thirds of the bandwidth. Those above 64 KiB ask first. Answers overtake data.
Calibration cluster_in_pieces() {
  Calibration found = known_cluster();
  found.replies.reset();
  Messages& messages = *found.between_nodes;
  messages.eager_limit_bytes = 65536;
  messages.times.clear();
  for (const double size_bytes :
       {8., 64., 256., 1024., 4096., 8192., 16384., 32768., 65536., 131072., 524288., 1048576.}) {
    const double seconds = (size_bytes <= 8192 ? 2.5e-6 + size_bytes / 2.5e9 : 5.5e-6 + size_bytes / 5e9) +
                           (size_bytes > 65536 ? 2 * 2e-6 : 0);
    messages.times.push_back({size_bytes, {seconds, 0.9 * seconds, 1.1 * seconds, 100}});
  }
  return found;
}

}  // namespace

TEST_CASE("between nodes, times on two lines are fitted by two, and the handshake is none of them") {
  const Calibration found = cluster_in_pieces();
  const NetworkFit fit = fit_network(found);
  REQUIRE(fit.pieces.size() == 2);
  CHECK(fit.pieces.front().up_to_bytes == 8192);
  CHECK(std::abs(fit.line.worst_deviation) < 0.01);
  CHECK(fit.line.slope == Approx(1 / 5e9).epsilon(0.01));
  // o_s is 0.5 us, so the latency is 2 us, and 5 us of longer messages: 2.5 times as much.
  CHECK(fit.factors.latency.of(8192) == Approx(1).epsilon(0.01));
  CHECK(fit.factors.latency.of(8193) == Approx(2.5).epsilon(0.01));
  CHECK(fit.factors.bandwidth.of(8192) == Approx(0.5).epsilon(0.01));
  CHECK(fit.factors.bandwidth.of(1e6) == Approx(1).epsilon(1e-12));
  // One line would be off by more than is allowed here.
  CHECK(std::abs(fit_messages(*found.between_nodes).worst_deviation) > 0.2);
  CHECK_NOTHROW(refuse_bad_fits(found, 0.05));
}

TEST_CASE("between nodes, times on one line have no pieces") {
  Calibration found = known_cluster();
  found.replies.reset();
  CHECK(fit_network(found).pieces.empty());
  CHECK(fit_network(found).line.intercept == fit_messages(*found.between_nodes).intercept);
}

TEST_CASE(
    "between nodes, there are no pieces where connections keep an order, because no factors are followed") {
  Calibration found = cluster_in_pieces();
  found.replies = known_cluster().replies;  // which wait behind data
  CHECK(fit_network(found).pieces.empty());
}
