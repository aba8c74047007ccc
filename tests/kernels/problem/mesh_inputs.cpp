// SPDX-License-Identifier: MIT
// What all formats have in common: a mesh is the same in each of them, and no file can crash its reader.
#include <catch2/catch.hpp>
#include <functional>

#include "kernels/problem/gmsh_reader.hpp"
#include "kernels/problem/input_format.hpp"
#include "kernels/problem/left_ventricle.hpp"
#include "kernels/problem/matrix_market.hpp"
#include "kernels/problem/mesh_matrix.hpp"
#include "kernels/problem/tetgen_reader.hpp"
#include "tests/kernels/problem/mesh_checks.hpp"
#include "tests/kernels/problem/mesh_files.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using test::Content;

void require_same(const EllpackMatrix& a, const EllpackMatrix& b) {
  REQUIRE(a.r_nz == b.r_nz);
  REQUIRE(a.diagonal == b.diagonal);
  REQUIRE(a.columns == b.columns);
  REQUIRE(a.values == b.values);
}

TEST_CASE("mesh inputs: a cube written in each format gives the same matrix, in each order") {
  const TetMesh mesh = test::cube(4);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "from0.node", test::tetgen_nodes(mesh, 0));
  test::write_bytes(folder / "from0.ele", test::tetgen_tets(mesh, 0));
  test::write_bytes(folder / "from1.node", test::tetgen_nodes(mesh, 1));
  test::write_bytes(folder / "from1.ele", test::tetgen_tets(mesh, 1));
  test::write_bytes(folder / "22.msh", test::gmsh_2_2(mesh, Content::text));
  test::write_bytes(folder / "22b.msh", test::gmsh_2_2(mesh, Content::bytes));
  test::write_bytes(folder / "41.msh", test::gmsh_4_1(mesh, Content::text));
  test::write_bytes(folder / "41b.msh", test::gmsh_4_1(mesh, Content::bytes));
  test::write_bytes(folder / "40.msh", test::gmsh_4_0(mesh, Content::text, 1));
  test::write_bytes(folder / "40b.msh", test::gmsh_4_0(mesh, Content::bytes, 1));
  test::write_bytes(folder / "sparse.msh", test::gmsh_4_1(mesh, Content::bytes, 1'000'000'007));
  for (const RowOrder order : {RowOrder::none, RowOrder::sbd, RowOrder::rcm, RowOrder::hilbert}) {
    const EllpackMatrix expected = mesh_matrix(mesh, order, 1);
    for (const char* name : {"from0.node", "from0.ele", "from1.node"})
      require_same(mesh_matrix(read_tetgen(folder / name).mesh, order, 1), expected);
    for (const char* name : {"22.msh", "22b.msh", "40.msh", "40b.msh", "41.msh", "41b.msh", "sparse.msh"}) {
      CAPTURE(name);
      require_same(mesh_matrix(read_gmsh(folder / name).mesh, order, 1), expected);
    }
  }
}

TEST_CASE("mesh inputs: tetrahedra that are negatively oriented are turned round") {
  const TetMesh mesh = test::shuffled(test::cube(3), 1);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m.node", test::tetgen_nodes(mesh, 1));
  test::write_bytes(folder / "m.ele", test::tetgen_tets(mesh, 1));
  test::write_bytes(folder / "m.msh", test::gmsh_4_1(mesh, Content::bytes));
  for (const TetMesh& read : {read_tetgen(folder / "m.ele").mesh, read_gmsh(folder / "m.msh").mesh}) {
    REQUIRE(read.tets.size() == 6 * 3 * 3 * 3);
    for (const Tet& tet : read.tets)
      REQUIRE(test::volume_mm3(read, tet) == Approx(1. / (6 * 3 * 3 * 3)));
  }
}

TEST_CASE("mesh inputs: the matrix of a mesh, written as Matrix Market, has the same rows") {
  const EllpackMatrix matrix = mesh_matrix(left_ventricle(3000, 1), RowOrder::none, 1);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m.mtx", test::matrix_market(matrix.view()));
  require_same(read_matrix_market(folder / "m.mtx", usual_most_padding).matrix, matrix);
}

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Tet& tet : mesh.tets)
    sum += test::volume_mm3(mesh, tet);
  return sum;
}

TEST_CASE("mesh inputs: a cube meshed by Gmsh or TetGen has volume 1 and tetrahedra that meet at faces") {
  std::vector<TetMesh> meshes;
  for (const char* name : {"cube_2_2.msh", "cube_2_2_binary.msh", "cube_4_1.msh", "cube_4_1_binary.msh",
                           "cube_4_1_second_order.msh", "cube_2_2_binary_second_order.msh"}) {
    meshes.push_back(read_gmsh(test::sample(name)).mesh);
    REQUIRE(meshes.back().tets.size() == 100);
  }
  for (const char* name : {"from_1.node", "second_order_from_0.ele"}) {
    meshes.push_back(read_tetgen(test::sample(name)).mesh);
    REQUIRE(meshes.back().tets.size() == 68);
  }
  for (const TetMesh& mesh : meshes) {
    REQUIRE(volume(mesh) == Approx(1.));
    double boundary = 0;  // faces with one tetrahedron: their areas make the cube's surface
    for (const auto& [face, around] : test::tets_by_face(mesh)) {
      REQUIRE(around.size() <= 2);
      if (around.size() == 2) continue;
      const auto at = [&, &vertices = face](std::size_t i) {
        return mesh.vertices[static_cast<std::size_t>(vertices[i])];
      };
      const Point a{at(1).x - at(0).x, at(1).y - at(0).y, at(1).z - at(0).z};
      const Point b{at(2).x - at(0).x, at(2).y - at(0).y, at(2).z - at(0).z};
      boundary += std::hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x) / 2;
    }
    REQUIRE(boundary == Approx(6.));
  }
}

struct Reading {
  std::string ending;
  std::string bytes;
  std::function<void(const std::filesystem::path&)> read;
};

/// A small file of each format. TetGen's other file is beside it, whole.
std::vector<Reading> readings(const test::TemporaryFolder& folder) {
  const TetMesh mesh = test::cube(1);
  test::write_bytes(folder / "nodes_change.ele", test::tetgen_tets(mesh, 1));
  test::write_bytes(folder / "tets_change.node", test::tetgen_nodes(mesh, 1));
  const auto tetgen = [](const auto& path) { read_tetgen(path); };
  const auto gmsh = [](const auto& path) { read_gmsh(path); };
  const auto market = [](const auto& path) { read_matrix_market(path, usual_most_padding); };
  return {{"nodes_change.node", test::tetgen_nodes(mesh, 1), tetgen},
          {"tets_change.ele", test::tetgen_tets(mesh, 1), tetgen},
          {"22.msh", test::gmsh_2_2(mesh, Content::text), gmsh},
          {"22b.msh", test::gmsh_2_2(mesh, Content::bytes), gmsh},
          {"41.msh", test::gmsh_4_1(mesh, Content::text), gmsh},
          {"41b.msh", test::gmsh_4_1(mesh, Content::bytes), gmsh},
          {"m.mtx", test::matrix_market(mesh_matrix(mesh, RowOrder::none, 1).view()), market},
          {"by_gmsh.msh", test::bytes_of(test::sample("cube_4_1_binary.msh")), gmsh}};
}

enum class Outcome { read, refused };

/// Anything but the two is a crash, or another exception, and fails the test.
Outcome outcome(const Reading& reading, const std::filesystem::path& path) {
  try {
    reading.read(path);
    return Outcome::read;
  } catch (const InputError& error) {
    const std::string text = error.what();
    REQUIRE(text.find('\n') == std::string::npos);
    REQUIRE(text.find(path.parent_path().string()) == 0);
    return Outcome::refused;
  }
}

TEST_CASE("mesh inputs: cut off anywhere before its last words, a file is an input error") {
  const test::TemporaryFolder folder;
  for (const Reading& reading : readings(folder)) {
    CAPTURE(reading.ending);
    const std::filesystem::path path = folder / reading.ending;
    test::write_bytes(path, reading.bytes);
    REQUIRE(outcome(reading, path) == Outcome::read);
    std::size_t shortest_read = reading.bytes.size();
    for (std::size_t length = reading.bytes.size(); length-- > 0;) {
      std::filesystem::resize_file(path, length);
      if (outcome(reading, path) == Outcome::read) shortest_read = length;
    }
    const std::string end_of_mesh = "$EndElements";
    const std::size_t end = reading.bytes.rfind(end_of_mesh);
    if (end != std::string::npos) {
      REQUIRE(shortest_read == end + end_of_mesh.size());
    } else {
      // Nothing tells that the last number has lost digits.
      REQUIRE(shortest_read > reading.bytes.find_last_of(' '));
    }
  }
}

TEST_CASE("mesh inputs: with any byte changed, a file is read or is an input error") {
  const test::TemporaryFolder folder;
  for (const Reading& reading : readings(folder)) {
    if (reading.bytes.size() > 5000) continue;
    CAPTURE(reading.ending);
    const std::filesystem::path path = folder / reading.ending;
    for (std::size_t at = 0; at < reading.bytes.size(); ++at) {
      for (const char other : {'9', '-', ' ', '\n', '\xff', '\0'}) {
        std::string bytes = reading.bytes;
        bytes[at] = other;
        test::write_bytes(path, bytes);
        outcome(reading, path);
      }
    }
  }
}

TEST_CASE("mesh inputs: the format is told by the ending, or by how the file begins") {
  const test::TemporaryFolder folder;
  REQUIRE(input_format("heart.1.node") == InputFormat::tetgen);
  REQUIRE(input_format("heart.1.ele") == InputFormat::tetgen);
  REQUIRE(input_format("heart.msh") == InputFormat::gmsh);
  REQUIRE(input_format("heart.mtx") == InputFormat::matrix_market);
  test::write_bytes(folder / "heart", "$MeshFormat\n");
  REQUIRE(input_format(folder / "heart") == InputFormat::gmsh);
  test::write_bytes(folder / "heart", "%%MatrixMarket matrix");
  REQUIRE(input_format(folder / "heart") == InputFormat::matrix_market);
  test::write_bytes(folder / "heart", "solid heart");
  REQUIRE_THROWS_WITH(input_format(folder / "heart"), Catch::Contains("neither a mesh nor a matrix"));
  REQUIRE_THROWS_AS(input_format(folder / "nothing"), InputError);
}

}  // namespace
}  // namespace finegrain::problem
