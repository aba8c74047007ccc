// SPDX-License-Identifier: MIT
#include "sim/cli/trace_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/formats/format.hpp"

namespace finegrain::cli {
namespace {

bool has(const formats::Format& format, Direction direction) {
  return direction == Direction::read ? format.read != nullptr : format.write != nullptr;
}

}  // namespace

std::vector<std::string> names_of_formats(Direction direction) {
  std::vector<std::string> names;
  for (const formats::Format& format : formats::all_formats())
    if (has(format, direction)) names.emplace_back(format.name);
  return names;
}

std::string names_in_words(const std::vector<std::string>& names) {
  const auto last = names.end() - 1;
  return fmt::format("{} or {}", fmt::join(names.begin(), last, ", "), *last);
}

std::string list_of_formats(Direction direction) {
  std::size_t width = 0;
  for (const std::string& name : names_of_formats(direction))
    width = std::max(width, name.size());
  std::string list;
  for (const formats::Format& format : formats::all_formats()) {
    if (!has(format, direction)) continue;
    std::string text(direction == Direction::read ? format.reads : format.writes);
    if (!format.loses.empty()) text += fmt::format("\nDoes not hold {}", format.loses);
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
      text.insert(end + 1, width + 4, ' ');
    list += fmt::format("\n  {:<{}} {}", fmt::format("{}:", format.name), width + 1, text);
  }
  return list;
}

}  // namespace finegrain::cli
