// SPDX-License-Identifier: MIT
#include "sim/replay/energy.hpp"

#include <fmt/format.h>

#include "traces/io/input_error.hpp"

namespace finegrain::replay {

std::string_view to_string(Waiting waiting) {
  return waiting == Waiting::busy ? "busy" : "idle";
}

std::string_view to_string(CountedSockets counted) {
  return counted == CountedSockets::used ? "used" : "all";
}

Waiting parse_waiting(std::string_view text, std::string_view where) {
  if (text == "busy") return Waiting::busy;
  if (text == "idle") return Waiting::idle;
  throw InputError(where, fmt::format("'{}' is no way to wait", text), "Give busy or idle");
}

CountedSockets parse_counted(std::string_view text, std::string_view where) {
  if (text == "used") return CountedSockets::used;
  if (text == "all") return CountedSockets::all;
  throw InputError(where, fmt::format("'{}' does not say which sockets count", text), "Give used or all");
}

}  // namespace finegrain::replay
