// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// The parts of a mesh that was divided, as its file names them.
struct MeshParts {
  std::set<std::int64_t> present;  ///< parts whose tetrahedra are in the file, numbered from 1
  std::int64_t largest = 0;        ///< the largest number that the file names, or how many there are
  bool all_are_known = false;      ///< `largest` is the number of parts, and not only at least that

  /// All are of part 1, and the file does not say whether there are other parts.
  bool may_be_whole() const;
  /// Some tetrahedra are in other files, or may be.
  bool is_incomplete() const;
};

/// What a mesh file has that the matrix does not show.
struct MeshRemarks {
  std::map<std::string, std::int64_t> left_out;  ///< volume elements that are not used, by shape ("prisms")
  std::int64_t repeated = 0;  ///< tetrahedra that were left out because an earlier one has their vertices
  std::int64_t ghosts = 0;    ///< tetrahedra that were left out because they belong to a part in another file
  MeshParts parts;
};

/// A mesh as it was read.
struct MeshContents {
  TetMesh mesh;
  MeshRemarks remarks = {};
};

/// Removes tetrahedra that have the same four vertices as an earlier one, e.g. since a file lists them once
/// for each physical group that they are in. @returns how many
std::int64_t remove_repeated(TetMesh& mesh);

/// The remarks in a few words, each behind a comma: ", without 52 prisms, part 1 of 3". Empty if there are
/// none that change what the matrix stands for.
std::string in_few_words(const MeshRemarks& remarks);

/// The remarks as sentences for the user. @param file  name of the mesh file
std::vector<std::string> sentences(const MeshRemarks& remarks, const std::string& file);

}  // namespace finegrain::problem
