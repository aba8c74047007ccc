// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
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

/// The name of a file: of a long one, the end.
std::string short_name(const std::filesystem::path& input, std::size_t most = 160) {
  constexpr std::string_view cut = "...";
  const std::string name = input.filename().string();
  return name.size() > most + cut.size() ? fmt::format("{}{}", cut, name.substr(name.size() - most)) : name;
}

/// What a matrix file says about its origin. The space there is limited.
/// @param contents  e.g. "1000 rows", "68 tetrahedra, without 52 prisms"
std::string describe(const MatrixSource& source, const std::string& contents, RowOrder order) {
  constexpr std::size_t most_bytes = 250;
  const std::string rest =
      fmt::format(", {}, order {}{}", contents, to_string(order),
                  order == RowOrder::random ? fmt::format(", seed {}", source.seed) : "");
  return short_name(source.input, std::min<std::size_t>(160, most_bytes - rest.size())) + rest;
}

MadeMatrix read_mesh(const MatrixSource& source, InputFormat format, const OnStep& on_step) {
  const RowOrder order = source.order.value_or(RowOrder::sbd);
  MeshContents contents = format == InputFormat::gmsh ? read_gmsh(source.input) : read_tetgen(source.input);
  on_step("read");
  const std::size_t tets = contents.mesh.tets.size();
  check_memory(source.input.string(), static_cast<std::int64_t>(tets));
  std::string description =
      describe(source, fmt::format("{} tetrahedra{}", tets, in_few_words(contents.remarks)), order);
  try {
    return {mesh_matrix(std::move(contents.mesh), order, source.seed, on_step), std::move(description),
            sentences(contents.remarks, short_name(source.input))};
  } catch (const InputError& error) {
    throw InputError(source.input.string(), fmt::format("{}", error.what()));
  }
}

MadeMatrix read_matrix(const MatrixSource& source, const OnStep& on_step) {
  const RowOrder order = source.order.value_or(RowOrder::none);
  check_needs_no_centroids(order);
  MarketMatrix market = read_matrix_market(source.input, source.most_padding);
  EllpackMatrix matrix = std::move(market.matrix);
  on_step("read");
  if (order != RowOrder::none) {
    matrix = renumbered(matrix.view(), permutation(order, matrix.view(), source.seed));
    on_step("order");
  }
  std::string description = describe(
      source, fmt::format("{} rows{}", matrix.diagonal.size(), market.is_complex ? ", real parts" : ""),
      order);
  std::vector<std::string> notes;
  if (market.is_complex) {
    notes.push_back(fmt::format(
        "{}: its values are complex, and only their real parts are used. Where the entries are is "
        "right, but a product with complex values moves twice as many bytes",
        short_name(source.input)));
  }
  return {std::move(matrix), std::move(description), std::move(notes)};
}

}  // namespace

MadeMatrix make_matrix(const MatrixSource& source, const OnStep& on_step) {
  if (source.input.empty()) return make_left_ventricle(source, on_step);
  const InputFormat format = input_format(source.input);
  if (format == InputFormat::matrix_market) return read_matrix(source, on_step);
  return read_mesh(source, format, on_step);
}

}  // namespace finegrain::problem
