// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_reader.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>

#include "kernels/problem/gmsh_elements.hpp"
#include "kernels/problem/gmsh_records.hpp"
#include "kernels/problem/node_numbers.hpp"
#include "kernels/problem/oriented_tet.hpp"
#include "kernels/problem/text_reader.hpp"

namespace finegrain::problem {
namespace {

/// The shortest records as text; as bytes they are longer.
constexpr std::uint64_t least_node_bytes = sizeof("1 0 0 0");
constexpr std::uint64_t least_element_bytes = sizeof("1 1");

/// Reads a file from section to section. Source: "MSH file format" in the reference manual of Gmsh 4.8, and
/// its "MSH file format version 2 (Legacy)".
class Gmsh {
 public:
  explicit Gmsh(const std::filesystem::path& path) : text_(path, no_comment) {}

  TetMesh read() {
    while (text_.next_line()) {
      const std::string_view section = text_.word();
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$Nodes") {
        read_nodes();
      } else if (section == "$Elements") {
        read_elements();
      } else if (section.size() > 1 && section.front() == '$') {
        text_.skip_past(fmt::format("$End{}", section.substr(1)));
      } else {
        text_.fail(version_ == Version::none ? "not a Gmsh mesh (it does not begin with $MeshFormat)"
                                             : "a section belongs here, e.g. $Nodes. Write the file again");
      }
    }
    if (version_ == Version::none) text_.fail("not a Gmsh mesh (no $MeshFormat)");
    if (!has_nodes_) text_.fail("no nodes (truncated, or an empty mesh)");
    if (mesh_.tets.empty())
      text_.fail("no tetrahedra (truncated, or a mesh without volume). Mesh it in 3D: gmsh -3");
    return std::move(mesh_);
  }

 private:
  enum class Version : std::uint8_t { none, v2_2, v4_1 };
  enum class Content : std::uint8_t { text, bytes };
  static constexpr char no_comment = '\0';

  void read_format() {
    if (version_ != Version::none) text_.fail("a second $MeshFormat");
    if (!text_.next_line()) text_.fail("the file ends here (truncated). Write it again");
    const std::string_view version = text_.word();
    if (version != "2.2" && version != "4.1") {
      text_.fail(
          "neither MSH 2.2 nor 4.1 (other versions are not read). Convert it: gmsh in.msh -save -format "
          "msh41 "
          "-o out.msh");
    }
    version_ = version == "2.2" ? Version::v2_2 : Version::v4_1;
    const std::int64_t content = text_.integer("file type");
    if (content != 0 && content != 1)
      text_.fail(fmt::format("file type {} (0, text, and 1, binary, are known)", content));
    content_ = content == 0 ? Content::text : Content::bytes;
    // Numbers of a text may have any length, so the size matters for bytes only.
    if (const std::int64_t size_bytes = text_.integer("data size");
        size_bytes != 8 && content_ == Content::bytes)
      text_.fail(fmt::format("numbers of {} bytes (8 are read)", size_bytes));
    if (content_ == Content::text) {
      records_ = std::make_unique<GmshText>(text_);
    } else {
      text_.name_bytes_in_errors();
      records_ = std::make_unique<GmshBytes>(text_);
      if (records_->int32("byte order mark") != 1)
        text_.fail("written on a machine of another byte order, or damaged. Write it here, or as text");
    }
    expect_end("$EndMeshFormat");
  }

  void read_nodes() {
    if (version_ == Version::none) text_.fail("$Nodes before $MeshFormat");
    if (has_nodes_) text_.fail("a second $Nodes");
    has_nodes_ = true;
    if (version_ == Version::v2_2) {
      read_nodes_2_2();
    } else {
      read_nodes_4_1();
    }
    expect_end("$EndNodes");
    numbers_ = NodeNumbers(node_numbers_);
    node_numbers_ = {};
    if (numbers_.repeated()) text_.fail(fmt::format("two nodes have the number {}", *numbers_.repeated()));
  }

  /// Count; then a record for each node: number, x, y, z.
  void read_nodes_2_2() {
    const std::int64_t count = count_line("nodes", least_node_bytes);
    reserve_nodes(count);
    for (std::int64_t i = 0; i < count; ++i) {
      records_->begin();
      node_numbers_.push_back(records_->int32("node number"));
      read_point();
    }
  }

  /// Blocks, count, smallest and largest number; then blocks: dimension, entity, whether coordinates on the
  /// entity follow those in space, count; all numbers, then all points.
  void read_nodes_4_1() {
    records_->begin();
    const std::int64_t blocks = records_->size("number of blocks");
    const std::int64_t count = records_->size("number of nodes");
    records_->skip(2, sizeof(std::uint64_t));
    text_.check_count(count, least_node_bytes, "nodes");
    reserve_nodes(count);
    for (std::int64_t block = 0; block < blocks; ++block) {
      records_->begin();
      const std::int64_t dimension = records_->int32("dimension");
      records_->int32("entity");
      const bool parametric = records_->int32("flag of parametric nodes") != 0;
      const std::int64_t in_block = records_->size("number of nodes in the block");
      if (dimension < 0 || dimension > 3) text_.fail(fmt::format("a block of dimension {}", dimension));
      check_total(in_block, mesh_.vertices.size(), count, "nodes");
      for (std::int64_t i = 0; i < in_block; ++i) {
        records_->begin();
        node_numbers_.push_back(records_->size("node number"));
      }
      for (std::int64_t i = 0; i < in_block; ++i) {
        records_->begin();
        read_point();
        records_->skip(parametric ? static_cast<std::uint64_t>(dimension) : 0, sizeof(double));
      }
    }
    check_all(static_cast<std::int64_t>(mesh_.vertices.size()), count, "nodes");
  }

  void read_elements() {
    if (!has_nodes_) text_.fail("$Elements before $Nodes");
    if (has_elements_) text_.fail("a second $Elements");
    has_elements_ = true;
    if (version_ == Version::v4_1) {
      read_elements_4_1();
    } else {
      read_elements_2_2();
    }
    expect_end("$EndElements");
  }

  /// Count; then, as text, a record for each element: number, type, number of tags, tags, nodes. As bytes,
  /// blocks: type, count, number of tags; number, tags and nodes of each.
  void read_elements_2_2() {
    const std::int64_t count = count_line("elements", least_element_bytes);
    for (std::int64_t done = 0; done < count;) {
      records_->begin();
      if (content_ == Content::text) records_->int32("element number");
      const std::int64_t type = records_->int32("element type");
      const std::int64_t in_block = content_ == Content::text ? 1 : records_->int32("number of elements");
      const std::int64_t tags = records_->int32("number of tags");
      check_total(in_block, static_cast<std::size_t>(done), count, "elements");
      if (in_block == 0) text_.fail("a block without elements");
      if (tags < 0) text_.fail(fmt::format("{} tags of an element", tags));
      const int nodes = nodes_of(type);
      for (std::int64_t i = 0; i < in_block; ++i) {
        if (content_ == Content::text) {
          for (std::int64_t tag = 0; tag < tags; ++tag)
            records_->int32("tag");
        } else {
          records_->skip(1 + static_cast<std::uint64_t>(tags), sizeof(std::int32_t));
        }
        read_element(type, nodes);
      }
      done += in_block;
    }
  }

  /// Blocks, count, smallest and largest number; then blocks: dimension, entity, type, count; number and
  /// nodes of each.
  void read_elements_4_1() {
    records_->begin();
    const std::int64_t blocks = records_->size("number of blocks");
    const std::int64_t count = records_->size("number of elements");
    records_->skip(2, sizeof(std::uint64_t));
    text_.check_count(count, least_element_bytes, "elements");
    std::int64_t done = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
      records_->begin();
      records_->int32("dimension");
      records_->int32("entity");
      const std::int64_t type = records_->int32("element type");
      const std::int64_t in_block = records_->size("number of elements in the block");
      check_total(in_block, static_cast<std::size_t>(done), count, "elements");
      const int nodes = nodes_of(type);
      for (std::int64_t i = 0; i < in_block; ++i) {
        records_->begin();
        records_->size("element number");
        read_element(type, nodes);
      }
      done += in_block;
    }
    check_all(done, count, "elements");
  }

  /// Reads an element's nodes, the corners first.
  void read_element(std::int64_t type, int nodes) {
    const std::uint64_t node_bytes = version_ == Version::v2_2 ? sizeof(std::int32_t) : sizeof(std::uint64_t);
    if (!is_gmsh_tetrahedron(type)) {
      records_->skip(static_cast<std::uint64_t>(nodes), node_bytes);
      return;
    }
    Tet corners{};
    for (std::int32_t& corner : corners) {
      constexpr const char* what = "node of the tetrahedron";
      const std::int64_t number = version_ == Version::v2_2 ? records_->int32(what) : records_->size(what);
      const auto index = numbers_.index_of(number);
      if (!index) text_.fail(fmt::format("node {} is not in the mesh", number));
      corner = *index;
    }
    records_->skip(static_cast<std::uint64_t>(nodes) - corners.size(), node_bytes);
    mesh_.tets.push_back(oriented_tet(mesh_.vertices, corners, text_));
  }

  void read_point() {
    Point point;
    point.x = records_->real("x coordinate");
    point.y = records_->real("y coordinate");
    point.z = records_->real("z coordinate");
    mesh_.vertices.push_back(point);
  }

  void reserve_nodes(std::int64_t count) {
    node_numbers_.reserve(static_cast<std::size_t>(count));
    mesh_.vertices.reserve(static_cast<std::size_t>(count));
  }

  int nodes_of(std::int64_t type) {
    const auto nodes = gmsh_element_nodes(type);
    if (!nodes) text_.fail(fmt::format("element type {} is not known. Leave such elements out", type));
    return *nodes;
  }

  /// Reads a count, which is a line of text even where bytes follow.
  std::int64_t count_line(const char* what, std::uint64_t least_bytes_each) {
    if (!text_.next_line()) text_.fail("the file ends here (truncated). Write it again");
    const std::int64_t count = text_.integer("count");
    text_.check_count(count, least_bytes_each, what);
    return count;
  }

  /// Fails if a block holds more than what is left of its section's count.
  void check_total(std::int64_t in_block, std::size_t done, std::int64_t count, const char* what) {
    if (in_block < 0 || in_block > count - static_cast<std::int64_t>(done)) {
      text_.fail(
          fmt::format("a block of {} {} (the section promises {} in all, {} are read). Write the file again",
                      in_block, what, count, done));
    }
  }

  void check_all(std::int64_t done, std::int64_t count, const char* what) {
    if (done != count) {
      text_.fail(fmt::format("the blocks hold {} {} (the section promises {}). Write the file again", done,
                             what, count));
    }
  }

  void expect_end(std::string_view end) {
    if (!text_.next_line() || text_.word() != end)
      text_.fail(fmt::format("{} belongs here (a wrong count, or truncated). Write the file again", end));
  }

  TextReader text_;
  Version version_ = Version::none;
  Content content_ = Content::text;
  std::unique_ptr<GmshRecords> records_;
  std::vector<std::int64_t> node_numbers_;
  NodeNumbers numbers_;
  bool has_nodes_ = false;
  bool has_elements_ = false;
  TetMesh mesh_;
};

}  // namespace

TetMesh read_gmsh(const std::filesystem::path& path) {
  return Gmsh(path).read();
}

}  // namespace finegrain::problem
