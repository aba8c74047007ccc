// SPDX-License-Identifier: MIT
#include "sim/platform_make/topology_yaml.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "refused.hpp"
#include "sim/platform_make/slurm_files.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;

namespace {

Fabric yaml(const std::string& text) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "topology.yaml", text);
  return read_topology_conf(scratch / "topology.yaml");  // by its name
}

bool has_cable(const Fabric& fabric, const std::string& name) {
  return std::ranges::find(fabric.cables, name, &Cable::name) != fabric.cables.end();
}

const std::string tree =
    "---\n"
    "- topology: main\n"
    "  cluster_default: true\n"
    "  tree:\n"
    "    switches:\n"
    "      - switch: top\n"
    "        children: leaf[1-2]\n"
    "      - switch: leaf1\n"
    "        nodes: node[01-04]\n"
    "      - switch: leaf2\n"
    "        nodes: node[05-07]\n";

const std::string blocks =
    "- topology: racks\n"
    "  block:\n"
    "    block_sizes:\n"
    "      - 4\n"
    "      - 8\n"
    "    blocks:\n"
    "      - block: b1\n"
    "        nodes: n[01-04]\n"
    "      - block: b2\n"
    "        nodes: n[05-08]\n"
    "      - block: b3\n"
    "        nodes: n[09-12]\n";

}  // namespace

TEST_CASE("topology.yaml: every node, switch and connection of a tree is in the fabric") {
  const Fabric fabric = yaml(tree);
  CHECK(count_nodes(fabric) == 4 + 3);
  CHECK(fabric.vertices.size() == 4 + 3 + 3);
  CHECK(fabric.cables.size() == 4 + 3 + 2);
  CHECK(has_cable(fabric, "leaf2_top"));
  CHECK(has_cable(fabric, "node05_leaf2"));
  CHECK_THAT(fabric.vertices.front().where, Catch::Contains("topology.yaml:6"));
  CHECK(fabric.notes.empty());
}

TEST_CASE("topology.yaml: blocks are switches, joined ones have one above them, and one is above all") {
  const Fabric fabric = yaml(blocks);
  CHECK(count_nodes(fabric) == 3 * 4);
  // b1, b2, b3; 8 / 4 = 2 blocks under one: b1..b2 and b3..b3; one above these.
  CHECK(fabric.vertices.size() == 3 * 4 + 3 + 2 + 1);
  CHECK(fabric.cables.size() == 3 * 4 + 3 + 2);
  CHECK(has_cable(fabric, "b2_b1..b2"));
  CHECK(has_cable(fabric, "b3_b3..b3"));
  CHECK(has_cable(fabric, "b1..b2_b1..b2..b3..b3"));
  Fabric with_bandwidths = fabric;
  add_uplinks(with_bandwidths, {"2:1", "given"}, {"100Gbps", "given"});
  for (const Cable& cable : with_bandwidths.cables)
    if (cable.name == "b2_b1..b2") CHECK(cable.bandwidth->text == "200Gbps");  // 4 nodes / 2 x 100
}

TEST_CASE("topology.conf: its blocks are those of a topology.yaml") {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "topology.conf",
                    "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\nBlockName=b3 Nodes=n[09-12]\n"
                    "BlockSizes=4,8\n");
  const Fabric of_conf = read_topology_conf(scratch / "topology.conf");
  const Fabric of_yaml = yaml(blocks);
  REQUIRE(of_conf.cables.size() == of_yaml.cables.size());
  for (const Cable& cable : of_yaml.cables)
    CHECK(has_cable(of_conf, cable.name));
}

TEST_CASE("topology.yaml: of several topologies, the cluster's default is read, and a note says so") {
  const Fabric fabric = yaml(blocks + tree.substr(4));
  CHECK(count_nodes(fabric) == 4 + 3);
  REQUIRE(fabric.notes.size() == 1);
  CHECK_THAT(fabric.notes.front(), Catch::Contains("topology.yaml:1: the topology racks is not used"));
  test::check_refusal([] { yaml(blocks + blocks); }, "none of its 2 topologies has cluster_default: true");
}

TEST_CASE("topology.yaml: what is not understood is noted, and what is wrong is named with its line") {
  CHECK_THAT(
      yaml(test::with_replaced(tree, "children: leaf[1-2]", "children: leaf[1-2]\n        colour: red"))
          .notes.front(),
      Catch::Contains("topology.yaml:8: 'colour' is not used"));
  const auto refused = [](const std::string& text, const std::string& problem) {
    test::check_refusal([&] { yaml(text); }, problem);
  };
  refused(test::with_replaced(tree, "leaf[1-2]", "leaf[1-3]"),
          "topology.yaml:6: there is no switch leaf3 below top");
  refused(test::with_replaced(tree, "switch: leaf2", "sweetch: leaf2"),
          "topology.yaml:10: there is no 'switch'");
  refused(test::with_replaced(tree, "nodes: node[01-04]", "nodes: [1, 2]"),
          "topology.yaml:9: a list or mapping stands");
  refused(test::with_replaced(tree, "        nodes: node[01-04]\n", ""),
          "topology.yaml:8: switch leaf1 has no nodes");
  refused(test::with_replaced(blocks, "- 8", "- 6"),
          "topology.yaml:4: a block of 6 is not made of several of 4");
  refused(test::with_replaced(blocks, "- 8", "- many"), "topology.yaml:5: 'many' is not a number of nodes");
  refused("- topology: a\n  flat: true\n", "topology.yaml:1: the topology is flat");
  refused("- topology: a\n  flat: {alpha_step_rank: true}\n", "topology.yaml:1: the topology is flat");
  refused(test::with_replaced(tree, "  tree:\n", "  block: {blocks: []}\n  tree:\n"),
          "both a tree and of blocks");
  refused("- topology: a\n  ring: 7\n", "neither a tree nor of blocks");
  refused("- topology: [a\n", "topology.yaml:2: not YAML");
  refused("", "not a list of topologies");
}
