// SPDX-License-Identifier: MIT
#include "sim/platform_make/iblinkinfo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "refused.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

using namespace finegrain;
using namespace finegrain::platform_make;

namespace {

/// What iblinkinfo 44.0 printed on a fabric of ibsim's: node1 and node2 on leafA, node3 on leafB, two cables
/// from leafA to spine, one from leafB to spine, one from leafA to leafB at DDR; node1 at 1X, all others
/// 4xSDR.
std::string sample(const std::string& name) {
  std::ifstream file(std::filesystem::path(SITE_SAMPLES) / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

Fabric links(const std::string& text) {
  const test::TemporaryFolder scratch;
  test::write_bytes(scratch / "links.txt", text);
  return read_iblinkinfo(scratch / "links.txt");
}

std::map<std::string, std::string> bandwidths(const Fabric& fabric) {
  std::map<std::string, std::string> found;
  for (const Cable& cable : fabric.cables)
    found[cable.name] = cable.bandwidth->text;
  return found;
}

bool has_note(const Fabric& fabric, const std::string& text) {
  return std::ranges::any_of(fabric.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

/// The lines that contain, or do not contain, a text.
std::string lines_with(const std::string& text, const std::string& part, bool is_wanted = true) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end + 1 - begin);
    if ((line.find(part) != std::string::npos) == is_wanted) kept += line;
    begin = end + 1;
  }
  return kept;
}

}  // namespace

TEST_CASE("iblinkinfo: every node, switch and cable is in the fabric once, with sections and without") {
  for (const char* name : {"iblinkinfo.txt", "iblinkinfo_line.txt"}) {
    const Fabric fabric = links(sample(name));
    CHECK(count_nodes(fabric) == 3);
    CHECK(fabric.vertices.size() == 3 + 3);
    CHECK(bandwidths(fabric) ==
          std::map<std::string, std::string>{{"node1-1_leafA-1", "2Gbps"},  // 1 x 2.5 x 8 / 10
                                             {"node2-1_leafA-2", "8Gbps"},
                                             {"node3-1_leafB-1", "8Gbps"},
                                             {"spine-1_leafA-3", "8Gbps"},
                                             {"spine-2_leafA-4", "8Gbps"},
                                             {"leafB-3_spine-3", "8Gbps"},
                                             {"leafB-5_leafA-5", "16Gbps"}});  // 4 x 5 x 8 / 10
    // 8 ports of each switch, of which 5, 3 and 3 are connected.
    CHECK(has_note(fabric, "13 ports of switches not connected"));
    CHECK(has_note(
        fabric, "7 cables slower than both ends could be: node3-1_leafB-1 (4xSDR, could be 12X, 10.0 Gbps)"));
  }
}

TEST_CASE("iblinkinfo: a cable that is not active is left out, and named") {
  std::string text = sample("iblinkinfo.txt");
  for (const char* end : {"1    5[  ] \"leafA\"", "2    5[  ] \"leafB\""}) {
    const std::size_t at = text.rfind("Active/  LinkUp", text.find(end));
    text.replace(at, 6, "Init. ");
  }
  const Fabric fabric = links(text);
  CHECK(fabric.cables.size() == 7 - 1);
  CHECK(has_note(fabric, "left out: 1 cable that carries no traffic: leafB-5_leafA-5 (Init./LinkUp)"));
}

TEST_CASE("iblinkinfo: a node whose only cable is not active is left out, and named") {
  std::string text = sample("iblinkinfo.txt");
  for (int line = 0; line < 2; ++line) {
    const std::size_t at = text.find("1X           2.5 Gbps Active/");
    REQUIRE(at != std::string::npos);
    text.replace(at, 28, "1X           2.5 Gbps Armed ");
  }
  const Fabric fabric = links(text);
  CHECK(count_nodes(fabric) == 2);
  CHECK(fabric.cables.size() == 7 - 1);
  CHECK(has_note(fabric, "left out: 1 node without a cable that carries traffic: node1"));
  CHECK(fabric.vertices[fabric.cables.back().other].name == "leafA");
}

TEST_CASE("iblinkinfo: without the adapters' sections, nodes are known from their cables") {
  std::string text = sample("iblinkinfo.txt");
  // A line of an adapter begins with its GUID.
  text = lines_with(lines_with(text, "CA:", false), "      0x", false);
  const Fabric fabric = links(text);
  CHECK(count_nodes(fabric) == 3);
  CHECK(fabric.cables.size() == 7);
}

TEST_CASE("iblinkinfo: rates of lanes with their coding are rates without it") {
  const auto bandwidth = [](const std::string& rate) {  // the first line is node3's
    return bandwidths(links(test::with_replaced(sample("iblinkinfo.txt"), "2.5 Gbps", rate)))
        .at("node3-1_leafB-1");
  };
  CHECK(bandwidth("53.125 Gbps") == "200Gbps");       // 4 x 50
  CHECK(bandwidth("25.78 Gbps") == "100Gbps");        // 4 x 25.78125 x 64 / 66
  CHECK(bandwidth("14.0625 Gbps") == "54.5455Gbps");  // 4 x 14.0625 x 64 / 66
  CHECK(bandwidth("FDR10") == "40Gbps");              // 4 x 10.3125 x 64 / 66
}

TEST_CASE("iblinkinfo: what is wrong is named with its line") {
  const std::string text = sample("iblinkinfo.txt");
  const auto refused = [](const std::string& wrong, const std::string& problem) {
    test::check_refusal([&] { links(wrong); }, problem);
  };
  refused(test::with_replaced(text, "2.5 Gbps", "2.7 Gbps"), "links.txt:2: there is no rate of a lane");
  refused(test::with_replaced(text, " 4X ", " 5X "), "links.txt:2: '5xSDR' is not a width and rate");
  refused(test::with_replaced(text, "Active/", "Active "), "links.txt:2: there is no state of the port");
  refused(test::with_replaced(text, ")==>", ")"), "links.txt:2: the line has no '==( ... )==>'");
  refused(test::with_replaced(text, "     13  ", "     x3  "), "links.txt:2: 'x3' is not a LID");
  refused(test::with_replaced(text, "CA: node3:", "node3:"), "links.txt:1: 'node3:' is not understood");
  refused(test::with_replaced(text, "     13  ", "      2  "), "the LID 2 is also that of the device at");
  refused(text.substr(0, text.find("CA: node1")), "links.txt:8: 'leafA' (LID 1) has no lines of its own");
  refused(lines_with(text, "LinkUp"), "links.txt:2: a port stands before the first CA or Switch");
  refused("", "no port is in it");
  std::string down = text;
  for (std::size_t at = down.find("Active/"); at != std::string::npos; at = down.find("Active/"))
    down.replace(at, 7, "Init./ ");
  refused(down, "no cable is active");
}
