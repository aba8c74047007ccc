// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace finegrain::problem {
namespace {

/// Numbers in a file need not be aligned.
template <typename T>
T read(TextReader& text) {
  T number;
  std::memcpy(&number, text.take_bytes(sizeof number), sizeof number);
  return number;
}

}  // namespace

void GmshText::begin() {
  if (!text_.next_line()) text_.fail("the file ends within a section (truncated). Write it again");
  if (text_.peek() == '$') {
    text_.fail(
        "the section ends here, before all that its header promises (a wrong count). Write the file again");
  }
}

std::int64_t GmshBytes::int32(const char* /*what*/) {
  return read<std::int32_t>(text_);
}

std::int64_t GmshBytes::size(const char* what) {
  const auto number = read<std::uint64_t>(text_);
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    text_.fail(fmt::format("the {} {} is too large (63 bits are read)", what, number));
  return static_cast<std::int64_t>(number);
}

double GmshBytes::real(const char* what) {
  const auto number = read<double>(text_);
  if (!std::isfinite(number))
    text_.fail(fmt::format("the {} is {} (only finite ones can be used)", what, number));
  return number;
}

}  // namespace finegrain::problem
