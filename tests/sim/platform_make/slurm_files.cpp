// SPDX-License-Identifier: MIT
#include "sim/platform_make/slurm_files.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "refused.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;
using Names = std::vector<std::string>;

namespace {

Fabric topology(const std::string& text) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "topology.conf", text);
  return read_topology_conf(scratch / "topology.conf");
}

NodeNumbers conf(const std::string& text) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "slurm.conf", text);
  return read_slurm_conf(scratch / "slurm.conf");
}

const std::string two_leaves =
    "# two racks\n"
    "SwitchName=leaf1 Nodes=node[01-04]\n"
    "SwitchName=leaf2 Nodes=node[05-07]\n"
    "SwitchName=top Switches=leaf[1-2] LinkSpeed=900\n";

}  // namespace

TEST_CASE("topology.conf: every node, switch and connection is in the fabric") {
  const Fabric fabric = topology(two_leaves);
  CHECK(count_nodes(fabric) == 4 + 3);
  CHECK(fabric.vertices.size() == 4 + 3 + 3);
  CHECK(fabric.cables.size() == 4 + 3 + 2);
  REQUIRE(fabric.notes.size() == 1);
  CHECK_THAT(fabric.notes.front(),
             Catch::Contains("topology.conf:4: LinkSpeed=900 has no unit, and is not used"));
}

TEST_CASE("topology.conf: lines go on and blanks stand beside = as slurmctld reads them") {
  // The parser of Slurm 22.05 takes such lines (scontrol show config), and refuses the last.
  CHECK(count_nodes(topology("SwitchName=l1 Nodes=a[1-2]\\\n,a3\n")) == 3);
  CHECK(count_nodes(topology("SwitchName=l1 Nodes=a[1-2],\\\na3\n")) == 3);
  CHECK(count_nodes(topology("SwitchName = l1 Nodes =a[1-2]\n")) == 2);
  CHECK(conf("NodeName=a Sockets = 2 CoresPer\\\nSocket= 4\n").find("a")->second.at("cores").text == "8");
  test::check_refusal([] { topology("SwitchName=l1 Nodes=a[1-2] ,a3\n"); },
                      "topology.conf:1: ',a3' is no Key=value");
}

TEST_CASE("topology.conf: uplinks are as many cables as nodes below, by the ratio, over all switches above") {
  Fabric fabric = topology(
      "SwitchName=leaf1 Nodes=n[1-6]\nSwitchName=leaf2 Nodes=n[7-12]\n"
      "SwitchName=top1 Switches=leaf[1-2]\nSwitchName=top2 Switches=leaf[1-2]\n");
  REQUIRE(needs_uplinks(fabric));
  add_uplinks(fabric, {"3:1", "given"}, {"100Gbps", "given"});
  CHECK_FALSE(needs_uplinks(fabric));
  for (const Cable& cable : fabric.cables)
    if (fabric.vertices[cable.one].is_switch) CHECK(cable.bandwidth->text == "100Gbps");  // 6 / 3 / 2 cables
}

TEST_CASE("topology.conf: a LinkSpeed with a unit is a bandwidth") {
  const Fabric fabric = topology("SwitchName=s Nodes=n[1-2] LinkSpeed=100Gb/s\n");
  CHECK(fabric.cables.front().bandwidth->text == "100Gb/s");
  CHECK(fabric.notes.empty());
}

TEST_CASE("topology.conf: a node below two switches has a cable to each, and a note says so") {
  const Fabric fabric = topology("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\n");
  CHECK(count_nodes(fabric) == 3);
  CHECK(fabric.cables.size() == 2 + 2);
  REQUIRE(fabric.notes.size() == 1);
  CHECK_THAT(fabric.notes.front(), Catch::Contains("topology.conf:2: n2 is also below the switch at"));
}

TEST_CASE("topology.conf: what is wrong is named with its line") {
  const auto refused = [](const std::string& text, const std::string& problem) {
    test::check_refusal([&] { topology(text); }, problem);
  };
  refused("SwitchName=a Nodes=n1\nSwitchName=b Switches=c\n",
          "topology.conf:2: there is no switch c below b");
  refused("SwitchName=a Nodes=n1\n\nSwitchName=a Nodes=n2\n", "topology.conf:3: a is a second time a switch");
  refused("SwitchName=a Nodes=n1,n1\n", "topology.conf:1: n1 is a second time a node");
  refused("SwitchName=a\n", "topology.conf:1: switch a has no nodes and no switches");
  refused("RackName=a Nodes=n1\n", "topology.conf:1: a line with RackName and without SwitchName");
  refused("BlockName=a Nodes=n1\nSwitchName=b Nodes=n2\n", "topology.conf:2: a switch stands beside blocks");
  refused("BlockName=a Nodes=n1\nBlockSizes=2,x\n", "topology.conf:2: BlockSizes=2,x are not numbers");
  refused("SwitchName=a Nodes=n[1-\n", "topology.conf:1: 'n[1-' has a '['");
  refused("# nothing\n", "no switch has nodes");
}

TEST_CASE("slurm.conf: cores are sockets times cores, or CPUs without hardware threads") {
  const NodeNumbers nodes = conf(
      "ClusterName=c\n"
      "NodeName=DEFAULT ThreadsPerCore=2\n"
      "NodeName=n[1-2] sockets=2 CoresPerSocket=16 \\\n"
      "  RealMemory=1000 # a comment\n"
      "NodeName=fat CPUs=256 State=UNKNOWN Comment=\"two words\"\n"
      "PartitionName=all Nodes=ALL\n");
  CHECK(nodes.size() == 3);
  const auto number = [&](const char* node, const char* name) { return nodes.find(node)->second.at(name); };
  CHECK(number("n2", "cores").text == "32");
  CHECK_THAT(number("n2", "cores").origin, Catch::Contains("slurm.conf:3: 2 sockets x CoresPerSocket=16"));
  CHECK(number("n1", "memory_size").text == "1000MiB");
  CHECK(number("fat", "cores").text == "128");
  CHECK_FALSE(nodes.find("fat")->second.contains("sockets"));
}

TEST_CASE("slurm.conf: what is wrong is named with its line") {
  const auto refused = [](const std::string& text, const std::string& problem) {
    test::check_refusal([&] { conf(text); }, problem);
  };
  refused("\nNodeName=n1 CPUs=many\n", "slurm.conf:2: CPUs=many is not a number");
  refused("NodeName=n1 CPUs=3 ThreadsPerCore=2\n", "slurm.conf:1: CPUs=3 is no multiple of ThreadsPerCore=2");
  refused("NodeName=n1 CPUs=4\nNodeName=n[1-2] CPUs=4\n", "slurm.conf:2: node n1 has a line before");
  refused("Include nodes.conf\n", "no line has NodeName");
  refused("NodeName=n1 Comment=\"open\n", "slurm.conf:1: a quote is not closed");
}
