// SPDX-License-Identifier: MIT
#include "kernels/problem/input_format.hpp"

#include <fmt/format.h>

#include <optional>

#include "kernels/problem/input_text.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

std::optional<InputFormat> known_format(const std::filesystem::path& path) {
  const std::filesystem::path ending = without_compression(path).extension();
  if (ending == ".node" || ending == ".ele") return InputFormat::tetgen;
  if (ending == ".msh") return InputFormat::gmsh;
  if (ending == ".mtx") return InputFormat::matrix_market;
  if (ending == ".fgm") return std::nullopt;
  const InputText file(path);
  if (file.text().starts_with("$MeshFormat")) return InputFormat::gmsh;
  if (file.text().starts_with("%%MatrixMarket")) return InputFormat::matrix_market;
  return std::nullopt;
}

}  // namespace

InputFormat input_format(const std::filesystem::path& path) {
  if (const std::optional<InputFormat> format = known_format(path)) return *format;
  throw InputError(
      path.string(),
      "neither a mesh nor a matrix that can be read (TetGen .node and .ele, Gmsh .msh, Matrix Market .mtx)",
      "Give one of these");
}

bool is_mesh_input(const std::filesystem::path& path) {
  return known_format(path).has_value();
}

}  // namespace finegrain::problem
