// SPDX-License-Identifier: MIT
#include "traces/iteration.hpp"

#include <cassert>

namespace finegrain {

void Iteration::begin_phase(PhaseKind kind, std::int64_t memory_bytes) {
  phases.push_back({kind, memory_bytes, static_cast<std::int32_t>(messages.size()), 0});
}

void Iteration::add(const Message& message) {
  assert(!phases.empty());
  messages.push_back(message);
  ++phases.back().message_count;
}

std::span<const Message> Iteration::messages_of(const Phase& phase) const {
  return std::span(messages).subspan(static_cast<std::size_t>(phase.first_message),
                                     static_cast<std::size_t>(phase.message_count));
}

std::string_view to_string(MessageKind kind) {
  switch (kind) {
    case MessageKind::put:
      return "put";
    case MessageKind::get:
      return "get";
    case MessageKind::send:
      return "send";
    case MessageKind::receive:
      return "receive";
  }
  return "unknown";
}

std::string_view to_string(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::pack:
      return "pack";
    case PhaseKind::put:
      return "put";
    case PhaseKind::get:
      return "get";
    case PhaseKind::send:
      return "send";
    case PhaseKind::receive:
      return "receive";
    case PhaseKind::wait:
      return "wait";
    case PhaseKind::copy:
      return "copy";
    case PhaseKind::unpack:
      return "unpack";
    case PhaseKind::compute:
      return "compute";
    case PhaseKind::barrier:
      return "barrier";
  }
  return "unknown";
}

}  // namespace finegrain
