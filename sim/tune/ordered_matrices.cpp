// SPDX-License-Identifier: MIT
#include "sim/tune/ordered_matrices.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "kernels/problem/input_format.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "kernels/problem/matrix_source.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::tune {
namespace {

bool is_matrix_file(const std::filesystem::path& input) {
  constexpr std::string_view magic = "FGMATRIX";
  if (input.extension() == ".fgm") return true;
  const MappedFile file(input);
  return file.bytes().size() >= magic.size() &&
         std::memcmp(file.bytes().data(), magic.data(), magic.size()) == 0;
}

std::vector<problem::RowOrder> usual_orders(const std::filesystem::path& input) {
  using enum problem::RowOrder;
  return problem::input_format(input) == problem::InputFormat::matrix_market ? std::vector{none, rcm}
                                                                             : std::vector{sbd, rcm, hilbert};
}

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "finegrain-tune-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw InputError(name, fmt::format("{} (matrices are made there)", std::strerror(errno)), "Set TMPDIR");
  return name;
}

}  // namespace

OrderedMatrices::OrderedMatrices(const std::filesystem::path& input, std::vector<problem::RowOrder> orders)
    : orders_(std::move(orders)) {
  if (is_matrix_file(input)) {
    if (!orders_.empty()) {
      throw InputError(
          "order",
          fmt::format("{} has its order already (a matrix file is not ordered again)", input.string()),
          "Give the mesh or the .mtx");
    }
    files_.push_back(input.string());
    return;
  }
  if (orders_.empty()) orders_ = usual_orders(input);
  folder_ = new_folder();
  try {
    for (const problem::RowOrder order : orders_) {
      const std::filesystem::path file =
          folder_ / fmt::format("{}.{}.fgm", input.stem().string(), to_string(order));
      problem::MadeMatrix made = problem::make_matrix({.tets = 0, .input = input, .order = order});
      write_matrix(file, made.matrix.view(), made.description);
      notes_ = std::move(made.notes);  // the same for each order
      files_.push_back(file.string());
    }
  } catch (...) {
    std::filesystem::remove_all(folder_);
    throw;
  }
}

OrderedMatrices::~OrderedMatrices() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace finegrain::tune
