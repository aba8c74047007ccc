// SPDX-License-Identifier: MIT
#include "sim/platform/enlarged.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <optional>

#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using Catch::Contains;

namespace {

/// What `answer` says of the file of a platform whose zone has these elements.
auto of_file(const std::string& elements, const auto& answer) {
  const test::TemporaryFolder scratch;
  const std::filesystem::path file = scratch / "small.xml";
  std::ofstream(file) << "<?xml version='1.0'?>\n<platform version='4.1'>\n<!-- a note -->\n"
                      << elements << "\n</platform>\n";
  return answer(file);
}

std::string enlarged(const std::string& elements, int nodes) {
  return of_file(elements, [&](const std::filesystem::path& file) { return enlarged_xml(file, nodes); });
}

std::optional<int> possible(const std::string& elements, int nodes) {
  return of_file(elements, [&](const std::filesystem::path& file) { return possible_nodes(file, nodes); });
}

std::string cluster(const std::string& radical, const std::string& attributes) {
  return fmt::format(
      "<cluster id='c' prefix='n' suffix='' radical='{}' speed='1Gf' bw='1GBps' lat='1us' {}/>", radical,
      attributes);
}

std::string fat_tree(const std::string& parameters) {
  return cluster("0-127", fmt::format("topology='FAT_TREE' topo_parameters='{}'", parameters));
}

}  // namespace

TEST_CASE("enlarged: behind one switch there are as many nodes as are asked for, and comments stay") {
  const std::string text = enlarged(cluster("3-10", ""), 100);
  CHECK_THAT(text,
             Contains("radical=\"3-102\"") && Contains("a note") &&
                 Contains("Enlarged by finegrain platform to 100 nodes, of 8: its switch has more ports"));
  CHECK(enlarged_platform_kind().recognises(text));
}

TEST_CASE("enlarged: a fat tree has more subtrees of the same size") {
  // 16 nodes a leaf switch; 4096 / 16 = 256.
  CHECK_THAT(enlarged(fat_tree("2;16,8;1,16;1,1"), 4096),
             Contains("topo_parameters=\"2;16,256;1,16;1,1\"") && Contains("radical=\"0-4095\""));
  // Three levels: 4 * 4 nodes under each switch of the second; 256 / 16 = 16.
  CHECK_THAT(enlarged(fat_tree("3;4,4,8;1,2,2;1,1,1"), 256), Contains("\"3;4,4,16;1,2,2;1,1,1\""));
  CHECK_THROWS_WITH(
      enlarged(fat_tree("2;16,8;1,16;1,1"), 1000),
      Contains("1000 nodes are no multiple of 16, the nodes of each subtree") && Contains("Give 1008"));
}

TEST_CASE("enlarged: a torus grows where it is shortest, by the largest factors first") {
  // 4 * 4 * 2 = 32 nodes; 480 / 32 = 15 = 5 * 3: 2 becomes 10, then the first 4 becomes 12.
  CHECK_THAT(enlarged(cluster("0-31", "topology='TORUS' topo_parameters='4,4,2'"), 480),
             Contains("topo_parameters=\"12,4,10\""));
  CHECK_THROWS_WITH(enlarged(cluster("0-31", "topology='TORUS' topo_parameters='4,4,2'"), 100),
                    Contains("Give 128"));
}

TEST_CASE("enlarged: a dragonfly has more groups, no more than a chassis has switches") {
  const std::string dragonfly = cluster("0-255", "topology='DRAGONFLY' topo_parameters='4,2;2,1;8,1;4'");
  // 2 * 8 switches of 4 nodes are 64 nodes a group.
  CHECK_THAT(enlarged(dragonfly, 512), Contains("topo_parameters=\"8,2;2,1;8,1;4\""));
  CHECK_THROWS_WITH(enlarged(dragonfly, 64 * 9),
                    Contains("9 groups of chassis of 8 switches") && Contains("Give 512 nodes"));
}

TEST_CASE(
    "enlarged: the next possible number of nodes is a multiple of what the rule adds, if it leads that far") {
  CHECK(possible(cluster("0-7", ""), 313) == 313);
  CHECK(possible(fat_tree("2;16,8;1,16;1,1"), 313) == 20 * 16);
  CHECK(possible(cluster("0-31", "topology='TORUS' topo_parameters='4,4,2'"), 33) == 2 * 32);
  // 8 groups of 64 nodes are the most.
  const std::string dragonfly = cluster("0-255", "topology='DRAGONFLY' topo_parameters='4,2;2,1;8,1;4'");
  CHECK(possible(dragonfly, 7 * 64 + 1) == 8 * 64);
  CHECK_FALSE(possible(dragonfly, 8 * 64 + 1));
  CHECK_FALSE(possible("<zone id='z' routing='Full'><host id='a' speed='1Gf'/></zone>", 4));
}

TEST_CASE("enlarged: what has no rule is refused with its line") {
  CHECK_THROWS_WITH(enlarged("<zone id='z' routing='Full'><host id='a' speed='1Gf'/></zone>", 4),
                    Contains("small.xml:4") && Contains("<host> has no rule"));
  CHECK_THAT(enlarged(cluster("0-7", ""), 5),
             Contains("<prop id=\"nodes\" value=\"5\"") && Contains("radical=\"0-7\""));
  CHECK_THROWS_WITH(enlarged(cluster("0-3,8-11", ""), 16), Contains("\"0-3,8-11\" is no range of numbers"));
  CHECK_THROWS_WITH(enlarged(fat_tree("2;16,8;1,16"), 256), Contains("three groups of as many numbers"));
  CHECK_THROWS_WITH(enlarged(cluster("0-7", "") + cluster("8-15", ""), 32), Contains("2 clusters"));
}
