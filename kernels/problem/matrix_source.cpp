// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "kernels/problem/gmsh_reader.hpp"
#include "kernels/problem/input_format.hpp"
#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/tetgen_reader.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::problem {
namespace {

/// @param where  what asks for the tetrahedra, for the error
void check_memory(const std::string& where, std::int64_t tets) {
  // Measured at 1,000,000 to 25,587,400 tetrahedra: at most 290 bytes each.
  const double needed_bytes = 290.0 * static_cast<double>(tets);
  const double memory_bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed_bytes > memory_bytes) {
    throw InputError(where,
                     fmt::format("{} tetrahedra need about {} of memory (this machine has {})", tets,
                                 format_size(needed_bytes), format_size(memory_bytes)),
                     "Use fewer");
  }
}

MadeMatrix make_left_ventricle(const MatrixSource& source, const OnStep& on_step) {
  check_memory("--tets", source.tets);
  const RowOrder order = source.order.value_or(RowOrder::sbd);
  return {left_ventricle_matrix(source.tets, order, source.seed, on_step),
          fmt::format("left ventricle, {} tetrahedra, order {}, seed {}", source.tets, to_string(order),
                      source.seed)};
}

/// What a matrix file says about its origin. The space is limited, so only the end of a long name is kept.
std::string describe(const std::filesystem::path& input, std::size_t count, const char* what, RowOrder order,
                     std::uint64_t seed) {
  constexpr std::size_t longest_name = 160;
  std::string name = input.filename().string();
  if (name.size() > longest_name) name = "..." + name.substr(name.size() - longest_name);
  return fmt::format("{}, {} {}, order {}{}", name, count, what, to_string(order),
                     order == RowOrder::random ? fmt::format(", seed {}", seed) : "");
}

MadeMatrix read_mesh(const MatrixSource& source, InputFormat format, const OnStep& on_step) {
  const RowOrder order = source.order.value_or(RowOrder::sbd);
  TetMesh mesh = format == InputFormat::gmsh ? read_gmsh(source.input) : read_tetgen(source.input);
  on_step("read");
  check_memory(source.input.string(), static_cast<std::int64_t>(mesh.tets.size()));
  std::string description = describe(source.input, mesh.tets.size(), "tetrahedra", order, source.seed);
  try {
    return {mesh_matrix(std::move(mesh), order, source.seed, on_step), std::move(description)};
  } catch (const InputError& error) {
    throw InputError(source.input.string(), fmt::format("{}", error.what()));
  }
}

MadeMatrix read_matrix(const MatrixSource& source, const OnStep& on_step) {
  const RowOrder order = source.order.value_or(RowOrder::none);
  check_needs_no_centroids(order);
  EllpackMatrix matrix = read_matrix_market(source.input, source.most_padding);
  on_step("read");
  if (order != RowOrder::none) {
    matrix = renumbered(matrix.view(), permutation(order, matrix.view(), source.seed));
    on_step("order");
  }
  std::string description = describe(source.input, matrix.diagonal.size(), "rows", order, source.seed);
  return {std::move(matrix), std::move(description)};
}

}  // namespace

MadeMatrix make_matrix(const MatrixSource& source, const OnStep& on_step) {
  if (source.input.empty()) return make_left_ventricle(source, on_step);
  const InputFormat format = input_format(source.input);
  if (format == InputFormat::matrix_market) return read_matrix(source, on_step);
  return read_mesh(source, format, on_step);
}

}  // namespace finegrain::problem
