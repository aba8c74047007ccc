// SPDX-License-Identifier: MIT
#include "kernels/problem/tetgen_reader.hpp"

#include <catch2/catch.hpp>

#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using Catch::Contains;

const std::string four_nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const std::string one_tet = "1 4 0\n1 1 2 3 4\n";

class TetgenFiles {
 public:
  TetMesh read(const std::string& nodes, const std::string& tets) const {
    test::write_bytes(folder_ / "m.node", nodes);
    test::write_bytes(folder_ / "m.ele", tets);
    return read_tetgen(folder_ / "m.ele").mesh;
  }
  void require_refused(const std::string& nodes, const std::string& tets, const std::string& where,
                       const std::string& problem) const {
    CAPTURE(nodes, tets);
    REQUIRE_THROWS_AS(read(nodes, tets), InputError);
    REQUIRE_THROWS_WITH(read(nodes, tets), Contains("/m" + where + ": ") && Contains(problem));
  }
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("TetGen: comments, blank lines, attributes and markers are passed over") {
  const TetMesh mesh = TetgenFiles().read(
      "# nodes\n\n 4  3  1  1 # four\r\n1 0 0 0 7.5 1\n\n2 1 0 0 7.5 1\n#3 9 9 9\n3 0 +1 0 x y\n"
      "4 0 0 1e0 0 0\n# end",
      "# tets\n1 4 1\n1 1 2 3 4 -12 # material\n");
  REQUIRE(mesh.vertices.size() == 4);
  REQUIRE(mesh.vertices[2].y == 1);
  REQUIRE(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
}

TEST_CASE("TetGen: of ten nodes the first four are the corners") {
  const std::string ten_nodes =
      "10 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 0\n5 0 0 0\n6 0 0 0\n7 0 0 0\n8 0 0 0\n9 0 0 0\n";
  REQUIRE(TetgenFiles().read(ten_nodes, "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n").tets ==
          std::vector<Tet>{{0, 1, 2, 3}});
}

TEST_CASE("TetGen: a tetrahedron that stands there twice is read once") {
  const TetgenFiles files;
  files.read(four_nodes, "2 4 1\n1 1 2 3 4 1\n2 2 1 4 3 2\n");
  const MeshContents contents = read_tetgen(files / "m.ele");
  REQUIRE(contents.mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
  REQUIRE(contents.remarks.repeated == 1);
}

TEST_CASE("TetGen: whichever of the two files is named, and one that is missing is named") {
  const TetgenFiles files;
  files.read(four_nodes, one_tet);
  REQUIRE(read_tetgen(files / "m.node").mesh.tets.size() == 1);
  std::filesystem::remove(files / "m.node");
  REQUIRE_THROWS_WITH(read_tetgen(files / "m.ele"), Contains("m.node: cannot be opened"));
}

TEST_CASE("TetGen: what is wrong with the nodes is named by file and line") {
  const TetgenFiles files;
  const auto refused = [&](const std::string& nodes, const std::string& where, const std::string& problem) {
    files.require_refused(nodes, one_tet, where, problem);
  };
  refused("", ".node:1", "empty");
  refused("four\n", ".node:1", "'four' is not a whole number");
  refused("1 2\n1 0 0\n", ".node:1", "three dimensions");
  refused("4 3 0 0\n1 0.0 0.0 0.0\n2 1.0 0.0 0.0\n3 0.0 1.0 0.0\n", ".node:4", "after 3 of 4 nodes");
  refused("5 3 0 0\n1 0.0 0.0 0.0\n2 1.0 0.0 0.0\n3 0.0 1.0 0.0\n4 0.0 0.0 1.0\n", ".node:5",
          "after 4 of 5 nodes");
  refused("3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", ".node:5", "more follows than the 3 nodes");
  refused("4 3 0 0\n1 0 0 0\n2 nan 0 0\n3 0 1 0\n4 0 0 1\n", ".node:3", "x coordinate is nan");
  refused("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 inf 0\n4 0 0 1\n", ".node:4", "y coordinate is inf");
  refused("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1e999\n", ".node:5", "z coordinate '1e999'");
  refused("4 3 0 0\n1 0 0 0\n2 1 0\n3 0 1 0\n4 0 0 1\n", ".node:3", "z coordinate is missing");
  refused("4 3 0 0\n1 0 0 0\n3 1 0 0\n3 0 1 0\n4 0 0 1\n", ".node:3", "node 3 stands where node 2 belongs");
  refused("4 3 0 0\n7 0 0 0\n8 1 0 0\n9 0 1 0\n10 0 0 1\n", ".node:2", "first node has the number 7");
}

TEST_CASE("TetGen: what is wrong with the tetrahedra is named by file and line") {
  const TetgenFiles files;
  const auto refused = [&](const std::string& tets, const std::string& where, const std::string& problem) {
    files.require_refused(four_nodes, tets, where, problem);
  };
  refused("", ".ele:1", "empty");
  refused("0 4 0\n", ".ele:1", "no tetrahedra");
  refused("1 5 0\n1 1 2 3 4\n", ".ele:1", "tetrahedra of 5 nodes");
  refused("1 4 0\n1 1 2 3 5\n", ".ele:2", "node 5 is not in the mesh (it has nodes 1 to 4)");
  refused("1 4 0\n1 0 2 3 4\n", ".ele:2", "node 0 is not in the mesh");
  refused("1 4 0\n1 1 2 3\n", ".ele:2", "missing");
  refused("2 4 0\n1 1 2 3 4 # the second is missing\n", ".ele:2", "after 1 of 2 tetrahedra");
  refused("1 4 0\n1 1 2 3 4\n2 1 2 3 4\n", ".ele:3", "more follows");
  refused("1 4 0\n1 1 2 3 3\n", ".ele:2", "a vertex twice");
}

TEST_CASE("TetGen: a tetrahedron whose vertices lie in one plane is an input error") {
  TetgenFiles().require_refused("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", one_tet, ".ele:2",
                                "no volume");
}

TEST_CASE("TetGen: counts that the file cannot hold are refused before memory is asked for") {
  const TetgenFiles files;
  files.require_refused("4000000000000000000 3\n1 0 0 0\n", one_tet, ".node:1", "a wrong count");
  files.require_refused("99999999999999999999 3\n1 0 0 0\n", one_tet, ".node:1", "too large");
  files.require_refused("-4 3\n1 0 0 0\n", one_tet, ".node:1", "-4 nodes cannot be");
  files.require_refused(four_nodes, "2000000000 4 0\n1 1 2 3 4\n", ".ele:1", "a wrong count");
}

}  // namespace
}  // namespace finegrain::problem
