// SPDX-License-Identifier: MIT
#include "sim/platform_make/machine_line.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "refused.hpp"
#include "sim/platform_make/cluster_shape.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;

namespace {

void check_line_refused(const std::string& line, const std::string& problem) {
  test::check_refusal([&] { parse_machine_line(line); }, problem);
}

ClusterShape shape_of(const std::string& line) {
  return cluster_shape(parse_machine_line(line));
}

void check_shape_refused(const std::string& line, const std::string& problem) {
  test::check_refusal([&] { shape_of(line); }, problem);
}

}  // namespace

TEST_CASE("machine line: each item is a number with the clause that gives it") {
  const MachineLine line = parse_machine_line(
      "fat_tree: 3 levels, 40-port, 1600 nodes, 2:1; node: 2 x 64 cores, memory_size=256GiB; link: 200Gbps "
      "600ns");
  CHECK(line.network == "fat_tree");
  const auto text = [&](const char* name) { return line.numbers.find(name)->second.text; };
  CHECK(text("levels") == "3");
  CHECK(text("ports") == "40");
  CHECK(text("nodes") == "1600");
  CHECK(text("ratio") == "2:1");
  CHECK(text("cores") == "128");
  CHECK(text("sockets") == "2");
  CHECK(text("memory_size") == "256GiB");
  CHECK(text("link_bandwidth") == "200Gbps");
  CHECK(text("link_latency") == "600ns");
  CHECK(line.numbers.size() == 9);
  CHECK(line.numbers.find("cores")->second.origin == "given: 'node: 2 x 64 cores, memory_size=256GiB'");
}

TEST_CASE("machine line: what it does not understand is named, with an example") {
  check_line_refused("fat_tre: 2 levels", "'fat_tre' begins no clause. Did you mean fat_tree?");
  check_line_refused("torus: 4 x 4; switch: 3 nodes", "switch: 'switch' is a second network beside torus");
  check_line_refused("node: many cores", "node: 'many cores' is not cores, or sockets x cores");
  check_line_refused("node: 2 x 0 cores", "is not cores");
  check_line_refused("node: 2 wheels",
                     "node: '2 wheels' is not understood. Write it like 'node: 2 x 64 cores");
  check_line_refused("node: 4 cores, 8 cores", "'8 cores' gives cores a second time");
  check_line_refused("fat_tree: x levels", "'x levels' is not a number");
  check_line_refused("fat_tree: 2:0", "'2:0' is not a ratio");
  check_line_refused("fat_tree 2 levels", "begins no clause");
  check_line_refused("switch: memory_size=1GiB",
                     "gives a property, which only node, link and rail_optimised have");
}

TEST_CASE("machine line: numbers need their units") {
  check_line_refused("link: 200", "link: '200' has no unit");
  check_line_refused("link: 200Gbps 600", "link: '600' has no unit");
  check_line_refused("link: 200Gbit", "link: '200Gbit'");
  check_line_refused("node: memory_bandwidth=100", "node: memory_bandwidth: '100'");
  check_line_refused("node: speed=3GHz", "'3GHz' is not a speed");
  check_line_refused("node: message_overhead=1us", "is no property of a node (known are memory_bandwidth,");
}

TEST_CASE("fat tree: leaf switches divide their ports, and top switches use what is left") {
  // 40 ports at 2:1 are 26 down and 13 up; a subtree has 26 x 20 nodes; 1600 / 520 takes 4 of them. 20 links
  // upwards are 2 switches x 10 links, because 4 subtrees x 10 links are the 40 ports of a top switch.
  const ClusterShape shape = shape_of("fat_tree: 3 levels, 40-port, 1600 nodes, 2:1");
  CHECK(shape.parameters == "3;26,20,4;1,13,2;1,1,10");
  CHECK(shape.places == 26 * 20 * 4);
  CHECK(shape.nodes == 1600);
  // Two levels: 20 down and 20 up; 100 nodes are 5 leaf switches, 5 x 5 links are less than 40, 10 would
  // be 50.
  CHECK(shape_of("fat_tree: 2 levels, 40-port, 100 nodes, 1:1").parameters == "2;20,5;1,4;1,5");
  // Where a subtree would not be full, it has as many leaf switches as the nodes need.
  CHECK(shape_of("fat_tree: 3 levels, 40-port, 100 nodes, 1:1").places == 100);
}

TEST_CASE("networks of a line: what has no room is refused with the numbers") {
  // 2 levels of 40 ports at 1:1 hold 20 x 40 nodes.
  CHECK(shape_of("fat_tree: 2 levels, 40-port, 800 nodes, 1:1").places == 20 * 40);
  check_shape_refused(
      "fat_tree: 2 levels, 40-port, 801 nodes, 1:1",
      "fat_tree: there is room for 800 nodes, not for 801. Use more levels than 2, or more ports");
  check_shape_refused("fat_tree: 1 levels, 40-port, 8 nodes, 1:1", "Use 'switch: N nodes'");
  check_shape_refused("fat_tree: 2 levels, 2-port, 2 nodes, 2:1", "2 ports cannot be divided 2:1");
  check_shape_refused("fat_tree: 4 levels, 1000000-port, 2 nodes, 1:1", "no switch has 1000000 ports");
  check_shape_refused("switch: 41 nodes, 40-port", "switch: there is room for 40 nodes, not for 41");
  check_shape_refused("torus: 4 x 4, 17 nodes", "torus: there is room for 16 nodes, not for 17");
  check_shape_refused("dragonfly: 9 groups, 8 switches, 4 nodes per switch, 1 links between groups",
                      "9 groups of 8 switches");
  check_shape_refused("torus: 1000 x 1000 x 1000", "more nodes than can be simulated");
}

TEST_CASE("dragonfly, torus and switch have the parameters of SimGrid's cluster") {
  const ClusterShape dragonfly =
      shape_of("dragonfly: 8 groups, 8 switches, 4 nodes per switch, 2 links between groups, 250 nodes");
  CHECK(dragonfly.parameters == "8,2;1,1;8,1;4");
  CHECK(dragonfly.places == 8 * 8 * 4);
  CHECK(dragonfly.nodes == 250);
  CHECK(shape_of("torus: 8 x 4 x 2").parameters == "8,4,2");
  CHECK(shape_of("switch: 32 nodes").topology.empty());
}
