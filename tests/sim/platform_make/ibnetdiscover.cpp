// SPDX-License-Identifier: MIT
#include "sim/platform_make/ibnetdiscover.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "refused.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;

namespace {

Fabric discovered(const std::string& text) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "ib.txt", text);
  return read_ibnetdiscover(scratch / "ib.txt");
}

/// Two switches with two cables between them; three adapters of two nodes.
const std::string small_fabric =
    "#\n# Topology file: generated on a day\n#\n\n"
    "vendid=0x1\nswitchguid=0xa(a)\n"
    "Switch\t40 \"S-000000000000000a\"\t\t# \"MF0;leaf-1:MQM8790/U1\" enhanced port 0 lid 1 lmc 0\n"  // line
                                                                                                      // 7
    "[1]\t\"H-0000000000000001\"[1](1) \t\t# \"node1 mlx5_0\" lid 5 4xHDR\n"
    "[2]\t\"H-0000000000000002\"[1](2) \t\t# \"node1 mlx5_1\" lid 6 4xHDR\n"
    "[3]\t\"S-000000000000000b\"[7]\t\t# \"Switch of somebody\" lid 2 4xEDR\n"
    "[4]\t\"S-000000000000000b\"[8]\t\t# \"Switch of somebody\" lid 2 2xHDR\n\n"
    "Switch\t40 \"S-000000000000000b\"\t\t# \"Switch of somebody\" base port 0 lid 2 lmc 0\n"
    "[7]\t\"S-000000000000000a\"[3]\t\t# \"MF0;leaf-1:MQM8790/U1\" lid 1 4xEDR\n"
    "[8]\t\"S-000000000000000a\"[4]\t\t# \"MF0;leaf-1:MQM8790/U1\" lid 1 2xHDR\n"
    "[9]\t\"H-0000000000000003\"[1](3) \t\t# \"node2 HCA-1\" lid 7 4xFDR\n"
    "[40]\t\"H-0000000000000009\"[1](9) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR\n\n"
    "Ca\t1 \"H-0000000000000001\"\t\t# \"node1 mlx5_0\"\n"
    "[1](1) \t\"S-000000000000000a\"[1]\t\t# lid 5 lmc 0 \"MF0;leaf-1:MQM8790/U1\" lid 1 4xHDR\n\n"
    "Ca\t1 \"H-0000000000000002\"\t\t# \"node1 mlx5_1\"\n"
    "[1](2) \t\"S-000000000000000a\"[2]\t\t# lid 6 lmc 0 \"MF0;leaf-1:MQM8790/U1\" lid 1 4xHDR\n\n"
    "Ca\t1 \"H-0000000000000003\"\t\t# \"node2 HCA-1\"\n"
    "[1](3) \t\"S-000000000000000b\"[9]\t\t# lid 7 lmc 0 \"Switch of somebody\" lid 2 4xFDR\n\n"
    "Ca\t1 \"H-0000000000000009\"\t\t# \"Mellanox Technologies Aggregation Node\"\n"
    "[1](9) \t\"S-000000000000000b\"[40]\t\t# lid 9 lmc 0 \"Switch of somebody\" lid 2 4xHDR\n";

}  // namespace

TEST_CASE("ibnetdiscover: every node, switch and cable is in the fabric once") {
  const Fabric fabric = discovered(small_fabric);
  CHECK(count_nodes(fabric) == 2);           // two adapters of node1 are one node
  CHECK(fabric.vertices.size() == 2 + 2);    // and two switches
  CHECK(fabric.cables.size() == 2 + 1 + 2);  // to node1, to node2, between the switches
  CHECK_THAT(fabric.notes.front(), Catch::Contains("left out: 1 that aggregate"));
  const auto has_vertex = [&](const std::string& name) {
    return std::ranges::find(fabric.vertices, name, &Vertex::name) != fabric.vertices.end();
  };
  CHECK(has_vertex("leaf-1"));
  CHECK(has_vertex("S-000000000000000b"));  // its description is no name
  CHECK(has_vertex("node1"));
  CHECK(has_vertex("node2"));
}

TEST_CASE("ibnetdiscover: widths and rates are bandwidths without their coding") {
  const Fabric fabric = discovered(small_fabric);
  const auto bandwidth = [&](const std::string& name) {
    const auto cable = std::ranges::find(fabric.cables, name, &Cable::name);
    REQUIRE(cable != fabric.cables.end());
    return cable->bandwidth->text;
  };
  CHECK(bandwidth("leaf-1-1_node1-1") == "200Gbps");                  // 4 x 50
  CHECK(bandwidth("leaf-1-3_S-000000000000000b-7") == "100Gbps");     // 4 x 25
  CHECK(bandwidth("leaf-1-4_S-000000000000000b-8") == "100Gbps");     // 2 x 50
  CHECK(bandwidth("S-000000000000000b-9_node2-1") == "54.5455Gbps");  // 4 x 14.0625 x 64 / 66
  CHECK_THAT(fabric.cables.front().bandwidth->origin, Catch::Contains("ib.txt:8: 4xHDR"));
}

TEST_CASE("ibnetdiscover: adapters that do not say their node are named by their GUIDs") {
  std::string text = small_fabric;
  for (const char* name : {"\"node1 mlx5_0\"\n", "\"node1 mlx5_1\"\n"})
    text = test::with_replaced(text, name, "\"An adapter of somebody\"\n");
  CHECK(count_nodes(discovered(text)) == 3);
  // Two machines that nobody named.
  text = small_fabric;
  for (const char* name : {"\"node1 mlx5_0\"\n", "\"node2 HCA-1\"\n"})
    text = test::with_replaced(text, name, "\"localhost HCA-1\"\n");
  CHECK(count_nodes(discovered(text)) == 3);
}

TEST_CASE("ibnetdiscover: what its libraries warn of between its lines is skipped") {
  const std::string warning =
      "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad status 110; Connection "
      "timed out\n"
      "ibwarn: [1] sim_connect: attached\n";
  CHECK(discovered(warning + small_fabric).cables.size() == 2 + 1 + 2);
}

TEST_CASE("ibnetdiscover: what is wrong is named with its line") {
  const auto refused = [](const std::string& text, const std::string& problem) {
    test::check_refusal([&] { discovered(text); }, problem);
  };
  refused(test::with_replaced(small_fabric, "lid 5 4xHDR", "lid 5"), "ib.txt:8: there is no width and rate");
  refused(test::with_replaced(small_fabric, "lid 5 4xHDR", "lid 5 4xWARP"),
          "ib.txt:8: '4xWARP' is not a width and rate");
  refused(test::with_replaced(small_fabric, "lid 5 4xHDR", "lid 5 5xHDR"),
          "ib.txt:8: '5xHDR' is not a width and rate");
  refused(test::with_replaced(small_fabric, "[1]\t\"H-", "[x]\t\"H-"), "ib.txt:8: 'x' is not a port");
  refused(test::with_replaced(small_fabric, "[1]\t\"H-", "[1]\t\"Q-"),
          "ib.txt:8: 'Q-0000000000000001' is not a switch (S-)");
  refused(test::with_replaced(small_fabric, "vendid", "vendor"), "ib.txt:5: 'vendor=0x1' is not understood");
  refused(small_fabric.substr(0, small_fabric.find("Ca\t1 \"H-0000000000000002")),
          "ib.txt:9: H-0000000000000002 has no section of its own");
  refused("[1]\t\"H-1\"[1] # 4xHDR\n", "ib.txt:1: a port stands before the first Switch or Ca");
  refused("# empty\n", "no Switch and no Ca");
}
