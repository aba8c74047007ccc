// SPDX-License-Identifier: MIT
#include "sim/study/axis_flags.hpp"

#include <fmt/format.h>

namespace finegrain {
namespace {

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string study_text(const AxisFlags& axes, const std::string& simulate) {
  std::string text = fmt::format("version = 1\nsimulate = {}\n\n[axes]\n", quoted(simulate));
  for (const auto& [name, values] : axes) {
    if (values.empty()) continue;
    std::string list;
    for (const std::string& value : values)
      list += (list.empty() ? "" : ", ") + quoted(value);
    text += fmt::format("{} = [{}]\n", name, list);
  }
  return text;
}

}  // namespace finegrain
