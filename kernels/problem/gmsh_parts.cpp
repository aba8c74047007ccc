// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_parts.hpp"

namespace finegrain::problem {
namespace {

/// A count: of 4 bytes in version 4.0, of 8 in 4.1.
std::int64_t read_count(GmshRecords& records, GmshVersion version, const char* what) {
  return version == GmshVersion::v4_0 ? records.int32(what) : records.size(what);
}

/// Number, dimension and number of the divided entity, count and numbers of its parts; then the box (of a
/// point in 4.1: its place), physical groups, and of all but points the entities that bound it.
void read_entity(GmshRecords& records, GmshVersion version, int dimension, GmshParts& parts) {
  records.begin();
  const std::int64_t entity = records.int32("entity");
  records.int32("dimension of the divided entity");
  records.int32("divided entity");
  const std::int64_t count = read_count(records, version, "number of parts");
  std::vector<std::int64_t> own;
  for (std::int64_t i = 0; i < count; ++i)
    own.push_back(records.int32("part"));
  if (dimension == 3) parts.of_volumes[entity] = own;
  const bool is_place = dimension == 0 && version == GmshVersion::v4_1;
  records.skip(is_place ? 3 : 6, sizeof(double));
  records.skip_list();
  if (dimension > 0) records.skip_list();
}

}  // namespace

GmshParts read_gmsh_parts(GmshRecords& records, GmshVersion version) {
  GmshParts parts;
  records.begin();
  parts.count = read_count(records, version, "number of parts");
  records.begin();
  const std::int64_t ghosts = read_count(records, version, "number of ghost entities");
  for (std::int64_t i = 0; i < ghosts; ++i) {
    records.begin();
    parts.ghosts.insert(records.int32("ghost entity"));
    records.int32("part of the ghost entity");
  }
  records.begin();
  std::int64_t counts[4];
  for (std::int64_t& count : counts)
    count = records.size("number of entities");
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::int64_t i = 0; i < counts[dimension]; ++i)
      read_entity(records, version, dimension, parts);
  return parts;
}

}  // namespace finegrain::problem
