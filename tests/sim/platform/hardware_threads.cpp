// SPDX-License-Identifier: MIT
#include "sim/platform/hardware_threads.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "platform_text.hpp"
#include "sim/platform/platform.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::test;

/// A machine of one node.
std::string node(const std::string& properties, const std::string& cores = "core='4' ") {
  return zone(memory_props + properties + "<host id='n' speed='1Gf' " + cores + "/>\n");
}

}  // namespace

TEST_CASE("hardware threads: a core's rate is shared by its ranks, after what it gains by having several") {
  const std::string text =
      node("<prop id='hardware_threads_per_core' value='4'/><prop id='smt_gain' value='2=1.1,4=1.0'/>\n");
  const PlatformCosts costs = costs_of(text);
  CHECK(costs.hardware_threads->cores == 4);
  CHECK(costs.hardware_threads->of_core == 4);
  CHECK(rank_bandwidth_bytes_per_s(costs, 4, 1) == 10e9);
  CHECK(rank_bandwidth_bytes_per_s(costs, 8, 1) == Approx(10e9 * 1.1 / 2));
  CHECK(rank_bandwidth_bytes_per_s(costs, 16, 1) == Approx(10e9 * 1.0 / 4));
  // 5 ranks: one core has 2, and all are as slow as these. 3 on a core lie between 2 and 4.
  CHECK(rank_bandwidth_bytes_per_s(costs, 5, 1) == Approx(10e9 * 1.1 / 2));
  CHECK(rank_bandwidth_bytes_per_s(costs, 9, 1) == Approx(10e9 * (1.1 + 1.0) / 2 / 3));
  // 4 ranks of 2 threads are 8 threads; and 6 threads on a core take turns on its 4 hardware threads.
  CHECK(rank_bandwidth_bytes_per_s(costs, 4, 2) == Approx(2 * 10e9 * 1.1 / 2));
  CHECK(rank_bandwidth_bytes_per_s(costs, 24, 1) == Approx(10e9 * 1.0 / 6));
  // W_private: 8 x 5.5 GB/s are less than the node's 78.6. A node of 40 limits.
  CHECK(private_bandwidth_bytes_per_s(costs, 8, 1) == Approx(10e9 * 1.1 / 2));
  CHECK(private_bandwidth_bytes_per_s(costs_of(text, {"memory_bandwidth=40GBps"}), 8, 1) == 40e9 / 8);
}

TEST_CASE("hardware threads: without smt_gain nothing is gained, and without both each rank has a core") {
  const PlatformCosts no_gain = costs_of(node("<prop id='hardware_threads_per_core' value='2'/>\n"));
  CHECK(rank_bandwidth_bytes_per_s(no_gain, 8, 1) == Approx(10e9 / 2));
  const PlatformCosts none = costs_of(node(""));
  CHECK(!none.hardware_threads);
  CHECK(rank_bandwidth_bytes_per_s(none, 8, 1) == 10e9);
  CHECK(rank_bandwidth_bytes_per_s(costs_of(node(""), {"hardware_threads_per_core=2", "smt_gain=2=1.5"}), 8,
                                   1) == Approx(10e9 * 1.5 / 2));
}

TEST_CASE("hardware threads that cannot be are refused with their line") {
  const auto refused = [](const std::string& threads, const std::string& gain, const std::string& problem) {
    const std::string text = node(
        fmt::format("<prop id='hardware_threads_per_core' value='{}'/>\n<prop id='smt_gain' value='{}'/>\n",
                    threads, gain));
    check_refused(text, problem);
  };
  refused("0", "2=1", ":6: hardware_threads_per_core: '0' is no number from 1 to 1024");
  refused("many", "2=1", "'many' is no number from 1 to 1024");
  refused("4", "2", ":7: smt_gain: '2' is not of the form name=rate");
  refused("4", "1=1", "'1=1' does not go on with more and more threads, from 2 to the 4 of a core");
  refused("4", "4=1,2=1", "does not go on with more and more threads");
  refused("4", "8=1", "from 2 to the 4 of a core");
  refused("4", "two=1", "from 2 to the 4 of a core");
  refused("4", "2=0", "'0' is no rate above 0 (with 2 threads a core is at most 2 times as fast)");
  refused("4", "2=2.5", "'2.5' is no rate above 0");
  refused("4", "2=nan", "'nan' is no rate above 0");
  refused("4", "2=1.1x", "'1.1x' is no rate above 0");
  check_refused(node(""), "--set smt_gain: there is no hardware_threads_per_core", {"smt_gain=2=1.1"});
  check_refused(node("", ""), "the file does not say how many cores a node has",
                {"hardware_threads_per_core=2"});
}
