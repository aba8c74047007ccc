// SPDX-License-Identifier: MIT
#include "sim/study/axis_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace finegrain::study {
namespace {

constexpr std::size_t line_length = 100;

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) {
      quoted += fmt::format("\\u{:04x}", c);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string flag_of(const std::string& axis) {
  if (axis == "jobs") return "--job";  // the flag is repeated for each job; all jobs are one value
  std::string flag = "--" + axis;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

StudyText study_text(const AxisFlags& axes, const std::string& simulate, bool oversubscribe) {
  StudyText study;
  const auto add = [&](const std::string& flag, const std::string& line) {
    study.text += line + '\n';
    study.flags.push_back(flag);
  };
  const std::string all = "the flags";
  add(all, "version = 1");
  if (!simulate.empty()) add("--simulate", "simulate = " + quoted(simulate));
  if (oversubscribe) add("--oversubscribe", "oversubscribe = true");
  add(all, "");
  add(all, "[axes]");
  for (const auto& [name, values] : axes) {
    if (values.empty()) continue;
    const std::string flag = flag_of(name);
    std::string line = name + " = [";
    for (std::size_t i = 0; i < values.size(); ++i) {
      line += quoted(values[i]) + (i + 1 < values.size() ? ", " : "");
      if (line.size() < line_length) continue;
      add(flag, line);
      line = "  ";
    }
    add(flag, line + "]");
  }
  return study;
}

}  // namespace finegrain::study
