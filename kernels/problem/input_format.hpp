// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

namespace finegrain::problem {

enum class InputFormat : std::uint8_t { tetgen, gmsh, matrix_market };

/// By the file's ending (.node, .ele; .msh; .mtx), else by how it begins.
/// @throws InputError if it cannot be opened, or is none of them
InputFormat input_format(const std::filesystem::path& path);

}  // namespace finegrain::problem
