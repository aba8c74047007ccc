// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

namespace finegrain::problem {

enum class InputFormat : std::uint8_t { tetgen, gmsh, matrix_market };

/// The format, by the file's ending (.node, .ele; .msh; .mtx; each also with .gz, .bz2, .xz or .zst), or
/// otherwise by how the file begins.
/// @throws InputError if it cannot be opened, or is none of them
InputFormat input_format(const std::filesystem::path& path);

/// Whether input_format() knows the format, by the ending or by how the file begins.
bool is_mesh_input(const std::filesystem::path& path);

}  // namespace finegrain::problem
