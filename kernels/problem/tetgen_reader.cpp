// SPDX-License-Identifier: MIT
#include "kernels/problem/tetgen_reader.hpp"

#include <fmt/format.h>

#include "kernels/problem/input_text.hpp"
#include "kernels/problem/oriented_tet.hpp"
#include "kernels/problem/text_reader.hpp"

namespace finegrain::problem {
namespace {

constexpr char comment = '#';

/// Goes to the line of record `done` of a list.
void next_record(TextReader& text, std::int64_t done, std::int64_t count, const char* what) {
  if (!text.next_line()) {
    text.fail(fmt::format("the file ends after {} of {} {} (truncated, or a wrong count). Write it again",
                          done, count, what));
  }
}

void check_end(TextReader& text, std::int64_t count, const char* what) {
  if (text.next_line())
    text.fail(fmt::format("more follows than the {} {} of the first line (a wrong count)", count, what));
}

struct Nodes {
  std::vector<Point> points;
  std::int64_t first = 0;  ///< number of the first one, 0 or 1
};

/// First line: count, dimension, attributes, markers; then: number, x, y, z, and what is not used here.
Nodes read_nodes(const std::filesystem::path& path) {
  TextReader text(path, comment);
  if (!text.next_line()) text.fail("no nodes (the file is empty)");
  const std::int64_t count = text.integer("number of nodes");
  if (text.peek() != '\0' && text.integer("dimension") != 3)
    text.fail("the nodes are not in three dimensions (only tetrahedra can be used)");
  text.check_count(count, sizeof("0 0 0 0"), "nodes");
  Nodes nodes{std::vector<Point>(static_cast<std::size_t>(count)), 0};
  for (std::int64_t i = 0; i < count; ++i) {
    next_record(text, i, count, "nodes");
    const std::int64_t number = text.integer("node number");
    if (i == 0) nodes.first = number;
    if (nodes.first != 0 && nodes.first != 1)
      text.fail(fmt::format("the first node has the number {} (0 or 1 in this format)", number));
    if (number != nodes.first + i)
      text.fail(fmt::format("node {} stands where node {} belongs", number, nodes.first + i));
    Point& point = nodes.points[static_cast<std::size_t>(i)];
    point.x = text.real("x coordinate");
    point.y = text.real("y coordinate");
    point.z = text.real("z coordinate");
  }
  check_end(text, count, "nodes");
  return nodes;
}

/// First line: count, nodes of each, attributes; then: number, nodes (the corners first), attributes.
std::vector<Tet> read_tets(const std::filesystem::path& path, const Nodes& nodes) {
  TextReader text(path, comment);
  if (!text.next_line()) text.fail("no tetrahedra (the file is empty)");
  const std::int64_t count = text.integer("number of tetrahedra");
  if (text.peek() != '\0') {
    const std::int64_t corners = text.integer("number of nodes a tetrahedron");
    if (corners != 4 && corners != 10)
      text.fail(fmt::format("tetrahedra of {} nodes (4 or 10 in this format)", corners));
  }
  text.check_count(count, sizeof("0 0 0 0 0"), "tetrahedra");
  if (count == 0) text.fail("no tetrahedra (the mesh is empty)");
  std::vector<Tet> tets(static_cast<std::size_t>(count));
  const auto end = nodes.first + static_cast<std::int64_t>(nodes.points.size());
  for (std::int64_t t = 0; t < count; ++t) {
    next_record(text, t, count, "tetrahedra");
    text.integer("number of the tetrahedron");
    Tet corners{};
    for (std::int32_t& corner : corners) {
      const std::int64_t number = text.integer("node of the tetrahedron");
      if (number < nodes.first || number >= end) {
        text.fail(
            fmt::format("node {} is not in the mesh (it has nodes {} to {})", number, nodes.first, end - 1));
      }
      corner = static_cast<std::int32_t>(number - nodes.first);
    }
    tets[static_cast<std::size_t>(t)] = oriented_tet(nodes.points, corners, text);
  }
  check_end(text, count, "tetrahedra");
  return tets;
}

}  // namespace

MeshContents read_tetgen(const std::filesystem::path& path) {
  const std::filesystem::path unpacked = without_compression(path);
  const std::string packed_ending = unpacked == path ? "" : path.extension().string();
  const auto file = [&](const std::string& ending) {
    return std::filesystem::path(unpacked).replace_extension(ending + packed_ending);
  };
  Nodes nodes = read_nodes(file(".node"));
  std::vector<Tet> tets = read_tets(file(".ele"), nodes);
  MeshContents contents{{std::move(nodes.points), std::move(tets)}};
  contents.remarks.repeated = remove_repeated(contents.mesh);
  return contents;
}

}  // namespace finegrain::problem
