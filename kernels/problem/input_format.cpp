// SPDX-License-Identifier: MIT
#include "kernels/problem/input_format.hpp"

#include <fmt/format.h>

#include <string_view>

#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::problem {

InputFormat input_format(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  if (ending == ".node" || ending == ".ele") return InputFormat::tetgen;
  if (ending == ".msh") return InputFormat::gmsh;
  if (ending == ".mtx") return InputFormat::matrix_market;
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (text.starts_with("$MeshFormat")) return InputFormat::gmsh;
  if (text.starts_with("%%MatrixMarket")) return InputFormat::matrix_market;
  throw InputError(
      path.string(),
      "neither a mesh nor a matrix that can be read (TetGen .node and .ele, Gmsh .msh, Matrix Market .mtx)",
      "Give one of these");
}

}  // namespace finegrain::problem
