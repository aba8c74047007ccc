// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "kernels/problem/gmsh_elements.hpp"
#include "kernels/problem/gmsh_parts.hpp"
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
/// its "MSH file format version 2 (Legacy)"; in that of Gmsh 4.0 for its version 4.0.
class Gmsh {
 public:
  explicit Gmsh(const std::filesystem::path& path) : text_(path, no_comment) {}

  MeshContents read() {
    while (text_.next_line()) {
      const std::string_view section = text_.word();
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$Nodes" || section == "$ParametricNodes") {
        read_nodes(section == "$ParametricNodes");
      } else if (section == "$Elements") {
        read_elements();
      } else if (section == "$PartitionedEntities" && is_4()) {
        parts_ = read_gmsh_parts(*records_, version_);
        remarks_.parts.largest = parts_.count;
        remarks_.parts.all_are_known = true;
        expect_end("$EndPartitionedEntities");
      } else if (section == "$NOD" || section == "$NOE") {
        fail_version("1");
      } else if (section.size() > 1 && section.front() == '$') {
        text_.skip_past(fmt::format("$End{}", section.substr(1)));
      } else {
        text_.fail(version_ == GmshVersion::none
                       ? "not a Gmsh mesh (it does not begin with $MeshFormat)"
                       : "a section belongs here, e.g. $Nodes. Write the file again");
      }
    }
    if (version_ == GmshVersion::none) text_.fail("not a Gmsh mesh (no $MeshFormat)");
    if (!has_nodes_) text_.fail("no nodes (truncated, or an empty mesh)");
    if (mesh_.tets.empty()) fail_no_tetrahedra();
    remarks_.repeated = remove_repeated(mesh_);
    return {std::move(mesh_), std::move(remarks_)};
  }

 private:
  enum class Content : std::uint8_t { text, bytes };
  static constexpr char no_comment = '\0';

  bool is_4() const { return version_ == GmshVersion::v4_0 || version_ == GmshVersion::v4_1; }

  [[noreturn]] void fail_version(std::string_view version) {
    text_.fail(fmt::format(
        "MSH {} (versions 2, 4.0 and 4.1 are read). Convert it: gmsh in.msh -save -format msh41 -o "
        "out.msh",
        version.substr(0, 8)));
  }

  [[noreturn]] void fail_no_tetrahedra() {
    if (remarks_.left_out.empty())
      text_.fail("no tetrahedra (truncated, or a mesh without volume). Mesh it in 3D: gmsh -3");
    std::vector<std::string> shapes;
    for (const auto& [shape, count] : remarks_.left_out)
      shapes.push_back(shape);
    text_.fail(fmt::format("no tetrahedra, but {} (only tetrahedra are read). Mesh it with tetrahedra",
                           fmt::join(shapes, " and ")));
  }

  void read_format() {
    if (version_ != GmshVersion::none) text_.fail("a second $MeshFormat");
    if (!text_.next_line()) text_.fail("the file ends here (truncated). Write it again");
    const std::string_view version = text_.word();
    if (version == "2" || version == "2.0" || version == "2.1" || version == "2.2") {
      version_ = GmshVersion::v2;
    } else if (version == "4" || version == "4.0") {
      version_ = GmshVersion::v4_0;
    } else if (version == "4.1") {
      version_ = GmshVersion::v4_1;
    } else {
      fail_version(version);
    }
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

  /// @param parametric  in version 2, each node's place on its entity follows that in space
  void read_nodes(bool parametric) {
    if (version_ == GmshVersion::none) text_.fail("$Nodes before $MeshFormat");
    if (has_nodes_) text_.fail("a second $Nodes");
    has_nodes_ = true;
    if (version_ == GmshVersion::v2) {
      read_nodes_2(parametric);
    } else {
      read_nodes_4();
    }
    expect_end(parametric ? "$EndParametricNodes" : "$EndNodes");
    numbers_ = NodeNumbers(node_numbers_);
    node_numbers_ = {};
    if (numbers_.repeated()) text_.fail(fmt::format("two nodes have the number {}", *numbers_.repeated()));
  }

  /// Count; then a record for each node: number, x, y, z; if parametric, also dimension and number of its
  /// entity, and a coordinate for each dimension of a curve or surface.
  void read_nodes_2(bool parametric) {
    const std::int64_t count = count_line("nodes", least_node_bytes);
    reserve_nodes(count);
    for (std::int64_t i = 0; i < count; ++i) {
      records_->begin();
      node_numbers_.push_back(records_->int32("node number"));
      read_point();
      if (!parametric) continue;
      const std::int64_t dimension = checked_dimension(records_->int32("dimension"));
      records_->int32("entity");
      records_->skip(dimension < 3 ? static_cast<std::uint64_t>(dimension) : 0, sizeof(double));
    }
  }

  /// Blocks and count, in 4.1 also smallest and largest number; then blocks: dimension and entity (4.0: the
  /// other way round), whether coordinates on the entity follow those in space, count, nodes. In 4.1 all
  /// numbers come before all points.
  void read_nodes_4() {
    records_->begin();
    const std::int64_t blocks = records_->size("number of blocks");
    const std::int64_t count = records_->size("number of nodes");
    if (version_ == GmshVersion::v4_1) records_->skip(2, sizeof(std::uint64_t));
    text_.check_count(count, least_node_bytes, "nodes");
    reserve_nodes(count);
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t dimension = checked_dimension(block_entity().dimension);
      const bool parametric = records_->int32("flag of parametric nodes") != 0;
      const std::int64_t in_block = records_->size("number of nodes in the block");
      check_total(in_block, mesh_.vertices.size(), count, "nodes");
      // A volume has coordinates of its own in 4.1 only.
      const bool has_coordinates = parametric && (dimension < 3 || version_ == GmshVersion::v4_1);
      const std::uint64_t coordinates = has_coordinates ? static_cast<std::uint64_t>(dimension) : 0;
      if (version_ == GmshVersion::v4_1) {
        for (std::int64_t i = 0; i < in_block; ++i) {
          records_->begin();
          node_numbers_.push_back(records_->size("node number"));
        }
      }
      for (std::int64_t i = 0; i < in_block; ++i) {
        records_->begin();
        if (version_ == GmshVersion::v4_0) node_numbers_.push_back(records_->int32("node number"));
        read_point();
        records_->skip(coordinates, sizeof(double));
      }
    }
    check_all(static_cast<std::int64_t>(mesh_.vertices.size()), count, "nodes");
  }

  struct Entity {
    std::int64_t dimension;
    std::int64_t number;
  };

  /// The entity that a block of version 4 begins with.
  Entity block_entity() {
    records_->begin();
    const std::int64_t first = records_->int32("dimension or entity");
    const std::int64_t second = records_->int32("entity or dimension");
    return version_ == GmshVersion::v4_0 ? Entity{second, first} : Entity{first, second};
  }

  std::int64_t checked_dimension(std::int64_t dimension) {
    if (dimension < 0 || dimension > 3) text_.fail(fmt::format("nodes of dimension {}", dimension));
    return dimension;
  }

  void read_elements() {
    if (!has_nodes_) text_.fail("$Elements before $Nodes");
    if (has_elements_) text_.fail("a second $Elements");
    has_elements_ = true;
    if (is_4()) {
      read_elements_4();
    } else {
      read_elements_2();
    }
    expect_end("$EndElements");
  }

  /// Count; then, as text, a record for each element: number, type, number of tags, tags, nodes. As bytes,
  /// blocks: type, count, number of tags; number, tags and nodes of each. The third tag is the number of
  /// parts that the element is in, and these follow: its own, and as negative numbers those where it is a
  /// copy.
  void read_elements_2() {
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
        if (content_ == Content::bytes) records_->int32("element number");
        for (std::int64_t tag = 0; tag < tags; ++tag) {
          const std::int64_t value = records_->int32("tag");
          if (tag >= 3 && is_gmsh_tetrahedron(type)) add_part(value, tag == 3);
        }
        read_element(type, nodes);
      }
      done += in_block;
    }
  }

  void add_part(std::int64_t part, bool is_own) {
    remarks_.parts.largest = std::max(remarks_.parts.largest, std::abs(part));
    if (is_own) remarks_.parts.present.insert(part);
  }

  /// Blocks and count, in 4.1 also smallest and largest number; then blocks: dimension and entity (4.0: the
  /// other way round), type, count; number and nodes of each.
  void read_elements_4() {
    records_->begin();
    const std::int64_t blocks = records_->size("number of blocks");
    const std::int64_t count = records_->size("number of elements");
    if (version_ == GmshVersion::v4_1) records_->skip(2, sizeof(std::uint64_t));
    text_.check_count(count, least_element_bytes, "elements");
    std::int64_t done = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const Entity entity = block_entity();
      const std::int64_t type = records_->int32("element type");
      const std::int64_t in_block = records_->size("number of elements in the block");
      check_total(in_block, static_cast<std::size_t>(done), count, "elements");
      const int nodes = nodes_of(type);
      const bool is_ghost = is_gmsh_tetrahedron(type) && parts_.ghosts.contains(entity.number);
      if (is_ghost) remarks_.ghosts += in_block;
      if (is_gmsh_tetrahedron(type) && !is_ghost) add_parts(entity.number);
      for (std::int64_t i = 0; i < in_block; ++i) {
        records_->begin();
        read_number("element number");
        if (is_ghost) {
          records_->skip(static_cast<std::uint64_t>(nodes), number_bytes());
        } else {
          read_element(type, nodes);
        }
      }
      done += in_block;
    }
    check_all(done, count, "elements");
  }

  void add_parts(std::int64_t volume) {
    const auto found = parts_.of_volumes.find(volume);
    if (found == parts_.of_volumes.end()) return;
    remarks_.parts.present.insert(found->second.begin(), found->second.end());
  }

  /// Bytes of the number of a node or element.
  std::uint64_t number_bytes() const {
    return version_ == GmshVersion::v4_1 ? sizeof(std::uint64_t) : sizeof(std::int32_t);
  }

  std::int64_t read_number(const char* what) {
    return version_ == GmshVersion::v4_1 ? records_->size(what) : records_->int32(what);
  }

  /// Reads an element's nodes, the corners first.
  void read_element(std::int64_t type, int nodes) {
    if (!is_gmsh_tetrahedron(type)) {
      const std::string_view shape = other_gmsh_volume(type);
      if (!shape.empty()) ++remarks_.left_out[std::string(shape)];
      records_->skip(static_cast<std::uint64_t>(nodes), number_bytes());
      return;
    }
    Tet corners{};
    for (std::int32_t& corner : corners) {
      const std::int64_t number = read_number("node of the tetrahedron");
      const auto index = numbers_.index_of(number);
      if (!index) text_.fail(fmt::format("node {} is not in the mesh", number));
      corner = *index;
    }
    records_->skip(static_cast<std::uint64_t>(nodes) - corners.size(), number_bytes());
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
  GmshVersion version_ = GmshVersion::none;
  Content content_ = Content::text;
  std::unique_ptr<GmshRecords> records_;
  std::vector<std::int64_t> node_numbers_;
  NodeNumbers numbers_;
  bool has_nodes_ = false;
  bool has_elements_ = false;
  GmshParts parts_;
  TetMesh mesh_;
  MeshRemarks remarks_;
};

}  // namespace

MeshContents read_gmsh(const std::filesystem::path& path) {
  return Gmsh(path).read();
}

}  // namespace finegrain::problem
