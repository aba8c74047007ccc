// SPDX-License-Identifier: MIT
#include "traces/places/chain_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace finegrain::places {
namespace {

/// By its lines, which stay where a program is compiled again; by its address if these are not known.
std::string name_of_frame(PlaceNames& names, const CallFrame& frame) {
  const std::vector<SourceLine>& lines = names.lines_of(frame);
  if (lines.empty() || std::ranges::any_of(lines, [](const SourceLine& line) { return line.line == 0; }))
    return fmt::format("{}+{:x} ", frame.object, frame.address);
  std::string name;
  for (const SourceLine& line : lines)
    name += fmt::format("{}:{}:{} ", line.function, line.file, line.line);
  return name;
}

std::string chain_of(PlaceNames& names, std::span<const CallFrame> frames) {
  std::vector<std::string> chain;
  for (const CallFrame& frame : frames) {
    std::string name = name_of_frame(names, frame);
    // A function that calls itself.
    if (std::ranges::find(chain, name) == chain.end()) chain.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(chain, ""));
}

}  // namespace

void ChainNames::name(Trace& trace) {
  const auto names = std::make_shared<PlaceNames>(trace);
  names->tell_files_apart(trace);
  trace.name_places([names, known = known_](std::span<const CallFrame> frames) {
    std::string& name = known->names[chain_of(*names, frames)];
    if (!name.empty()) return name;
    const std::string place = names->name(frames);
    const int number = ++known->chains[place];
    name = number == 1 ? place : fmt::format("{}#{}", place, number);
    std::vector<SourceLine>& lines = known->lines[name];
    for (const CallFrame& frame : frames)
      for (const SourceLine& line : names->lines_of(frame))
        lines.push_back(line);
    std::ranges::reverse(lines);
    return name;
  });
}

bool ChainNames::is_before(const std::string& a, const std::string& b) const {
  const auto one = known_->lines.find(a);
  const auto other = known_->lines.find(b);
  if (one == known_->lines.end() || other == known_->lines.end()) return false;
  const auto [x, y] = std::ranges::mismatch(one->second, other->second);
  return x != one->second.end() && y != other->second.end() && x->function == y->function &&
         x->file == y->file && x->line < y->line;
}

}  // namespace finegrain::places
