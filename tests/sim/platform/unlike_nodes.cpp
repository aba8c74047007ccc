// SPDX-License-Identifier: MIT
// Platforms whose nodes differ in cores, speed and memory.
#include <catch2/catch.hpp>

#include "platform_text.hpp"
#include "sim/platform/cost_properties.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::test;

namespace {

Platform platform_of(const std::string& contents, const std::vector<std::string>& overrides = {}) {
  const TextFile file(zone(contents));
  return read_platform(file.path(), overrides);
}

const std::string fast_and_slow =
    "<host id='slow-0' speed='5Gf' core='2'><prop id='memory_bandwidth' value='20GBps'/></host>\n"
    "<host id='fast-10' speed='20Gf' core='8'/>\n"
    "<host id='fast-9' speed='20Gf' core='8'/>\n";

}  // namespace

TEST_CASE("unlike nodes: each has its own cores, speed and memory, in the order of replays") {
  const Platform platform = platform_of(memory_props + fast_and_slow);
  REQUIRE(platform.nodes.size() == 3);
  CHECK(platform.nodes[0].name == "fast-9");
  CHECK(platform.nodes[1].name == "fast-10");
  CHECK(platform.nodes[2].name == "slow-0");
  CHECK(platform.nodes[2].cores == 2);
  CHECK(platform.nodes[2].speed == "5Gf");
  CHECK(platform.costs.memory_bandwidth_bytes_per_s == 78.6432e9);  // the first node's
  CHECK(platform.costs_of_node(2).memory_bandwidth_bytes_per_s == Approx(20e9));
  CHECK(platform.costs_of_node(2).memory_bandwidth_per_core_bytes_per_s == 10e9);
  CHECK(ranks_that_fit_nodes(platform, 1) == std::vector{8, 8, 2});
  CHECK(ranks_that_fit_nodes(platform, 4) == std::vector{2, 2, 1});
  CHECK(describe_nodes(platform) ==
        "fast-9 and fast-10: 8 cores, 20Gf, memory 78.6 GB/s and 10.0 GB/s a core; "
        "slow-0: 2 cores, 5Gf, memory 20.0 GB/s and 10.0 GB/s a core");
}

TEST_CASE("unlike nodes: what is set by a flag is set for all of them") {
  const Platform platform = platform_of(memory_props + fast_and_slow, {"memory_bandwidth=50GBps"});
  CHECK(platform.costs_of_node(0).memory_bandwidth_bytes_per_s == 50e9);
  CHECK(platform.costs_of_node(2).memory_bandwidth_bytes_per_s == 50e9);
}

TEST_CASE("unlike nodes: clusters and zones have their own values") {
  const std::string cluster =
      "<cluster id='{0}' prefix='{0}-' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='0us'>"
      "<prop id='memory_bandwidth' value='{1}'/></cluster>\n";
  const Platform platform = platform_of("<prop id='memory_bandwidth_per_core' value='10GBps'/>\n" +
                                        fmt::format(fmt::runtime(cluster), "a", "80GBps") +
                                        fmt::format(fmt::runtime(cluster), "b", "40GBps"));
  REQUIRE(platform.nodes.size() == 4);
  CHECK(platform.nodes[3].name == "b-1");
  CHECK(platform.costs_of_node(1).memory_bandwidth_bytes_per_s == 80e9);
  CHECK(platform.costs_of_node(3).memory_bandwidth_bytes_per_s == 40e9);
}

TEST_CASE("unlike nodes: hosts that are alike in all are no unlike nodes") {
  CHECK(platform_of(memory_props + "<host id='a' speed='1Gf' core='4'/><host id='b' speed='1Gf' core='4'/>")
            .nodes.empty());
  CHECK(platform_of(memory_props + "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>").nodes.empty());
}

TEST_CASE("unlike nodes: a host that does not say its cores has one, if others say theirs") {
  const Platform platform =
      platform_of(memory_props + "<host id='a' speed='1Gf'/><host id='b' speed='1Gf' core='4'/>");
  CHECK(ranks_that_fit_nodes(platform, 1) == std::vector{1, 4});
}

TEST_CASE("unlike nodes: a node without a value that others have is refused with its line") {
  check_refused(zone("<prop id='memory_bandwidth_per_core' value='10GBps'/>\n"
                     "<host id='a' speed='1Gf'><prop id='memory_bandwidth' value='80GBps'/></host>\n"
                     "<host id='b' speed='1Gf'><prop id='memory_bandwidth' value='40GBps'/></host>\n"
                     "<host id='c' speed='1Gf'/>\n"),
                ".xml:7: c has no memory_bandwidth, and other nodes have");
}

TEST_CASE("unlike nodes: other costs, and powers of nodes with other numbers of cores, are refused") {
  check_refused(zone(memory_props + "<host id='a' speed='1Gf'><prop id='call' value='1ns'/></host>\n"
                                    "<host id='b' speed='1Gf'><prop id='call' value='2ns'/></host>\n"),
                "only the memory of nodes may differ");
  check_refused(zone(memory_props + fast_and_slow + "<prop id='socket_power' value='idle=1W,8=2W'/>"),
                "nodes have different numbers of cores");
}
