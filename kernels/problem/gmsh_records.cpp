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

void GmshBytes::skip(std::uint64_t count, std::uint64_t bytes_each) {
  // A damaged count must not wrap round to a small number of bytes.
  if (count > std::numeric_limits<std::uint64_t>::max() / bytes_each) text_.take_bytes(count);
  text_.take_bytes(count * bytes_each);
}

void GmshBytes::skip_list() {
  skip(static_cast<std::uint64_t>(size("count")), sizeof(std::int32_t));
}

}  // namespace finegrain::problem
