// SPDX-License-Identifier: MIT
#include "sim/platform/factors.hpp"

#include <fmt/format.h>

#include <charconv>

#include "traces/io/input_error.hpp"

namespace finegrain::platform {

double parse_factor(std::string_view text, const std::string& place) {
  const bool times = text.starts_with('x');
  if (!times && !text.starts_with('/')) return 0;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + 1, end, number);
  if (error != std::errc() || parsed != end || !(number >= 1e-9 && number <= 1e9))
    throw InputError(place, fmt::format("'{}' is no factor", text), "Write it like x2 or /10");
  return times ? number : 1 / number;
}

}  // namespace finegrain::platform
