// SPDX-License-Identifier: MIT
#include "traces/timeline_text.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

namespace finegrain {
namespace {

using Event = nlohmann::ordered_json;

Event metadata(const char* name, int node, Event arguments) {
  return {{"ph", "M"}, {"name", name}, {"pid", node}, {"args", std::move(arguments)}};
}

/// Hexadecimal, as Perfetto reads the identity of an arrow.
std::string arrow_identity(MessageKind kind, int from, int to, std::uint64_t number) {
  const std::array<std::uint64_t, 4> numbers = {static_cast<std::uint64_t>(kind),
                                                static_cast<std::uint64_t>(from),
                                                static_cast<std::uint64_t>(to), number};
  return fmt::format("{:#x}", XXH3_64bits(numbers.data(), sizeof numbers));
}

std::string_view does(MessageKind kind) {
  switch (kind) {
    case MessageKind::put:
      return "puts";
    case MessageKind::get:
      return "gets";
    case MessageKind::send:
      return "sends";
    case MessageKind::receive:
      return "receives";
  }
  return "";
}

}  // namespace

std::string ChromeText::head() const {
  return std::string(opening);
}

std::string ChromeText::tail() const {
  return "\n]}\n";
}

std::string ChromeText::begin_rank(int rank) {
  rank_ = rank;
  messages_of_peer_.clear();
  Event name = metadata("thread_name", node(rank), {{"name", fmt::format("rank {}", rank)}});
  Event order = metadata("thread_sort_index", node(rank), {{"sort_index", rank}});
  name["tid"] = rank;
  order["tid"] = rank;
  std::string text;
  add(text, metadata("process_name", node(rank), {{"name", fmt::format("node {}", node(rank))}}));
  add(text, metadata("process_sort_index", node(rank), {{"sort_index", node(rank)}}));
  add(text, name);
  add(text, order);
  return text;
}

void ChromeText::add(std::string& text, const Event& event) {
  text += begun_ ? ",\n" : "\n";
  text += event.dump();
  begun_ = true;
}

std::string ChromeText::iteration(std::int64_t number, const RecordedIteration& recorded) {
  std::string text;
  for (std::size_t p = 0; p < recorded.phases.size(); ++p) {
    const Phase& phase = recorded.iteration.phases[p];
    const Interval& time = recorded.phases[p];
    if (!window_.overlaps(time)) continue;
    add(text, {{"ph", "X"},
               {"cat", "phase"},
               {"name", to_string(phase.kind)},
               {"pid", node(rank_)},
               {"tid", rank_},
               {"ts", window_.us(time.start_ns)},
               {"dur", static_cast<double>(time.length_ns()) / 1e3},
               {"args", {{"iteration", number}, {"memory bytes", phase.memory_bytes}}}});
  }
  for (std::size_t m = 0; m < recorded.messages.size(); ++m)
    add_message(text, number, recorded.iteration.messages[m], recorded.messages[m]);
  return text;
}

void ChromeText::add_message(std::string& text, std::int64_t iteration, const Message& message,
                             const Interval& time) {
  ++messages_;
  if (!window_.overlaps(time)) {
    ++messages_of_peer_[{message.peer, message.kind}];
    return;
  }
  // Wraps instead of overflowing, whatever a file says.
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(message.size_bytes) * static_cast<std::uint64_t>(message.repeat);
  Event event{
      {"ph", "b"},
      {"cat", "message"},
      {"name", fmt::format("rank {} {}", rank_, does(message.kind))},
      {"id", fmt::format("{:#x}", messages_)},
      {"pid", node(rank_)},
      {"tid", rank_},
      {"ts", window_.us(time.start_ns)},
      {"args",
       {{"peer", message.peer}, {"bytes", bytes}, {"repeat", message.repeat}, {"iteration", iteration}}}};
  add(text, event);
  event["ph"] = "e";
  event["ts"] = window_.us(time.end_ns);
  event.erase("args");
  add(text, event);
  add_arrow(text, message, time);
}

void ChromeText::add_arrow(std::string& text, const Message& message, const Interval& time) {
  const std::uint64_t number = messages_of_peer_[{message.peer, message.kind}]++;
  if (!window_.shows(message.peer) || message.peer == rank_) return;
  const bool from_here = message.kind == MessageKind::send || message.kind == MessageKind::put;
  const int from = from_here ? rank_ : message.peer;
  const int to = from_here ? message.peer : rank_;
  // A send and its receive are one arrow.
  const MessageKind kind = message.kind == MessageKind::receive ? MessageKind::send : message.kind;
  const std::string identity = arrow_identity(kind, from, to, number);
  const auto end = [&](const char* event, int rank, std::int64_t time_ns) {
    add(text, {{"ph", event},
               {"bp", "e"},
               {"cat", "message"},
               {"name", "message"},
               {"id", identity},
               {"pid", node(rank)},
               {"tid", rank},
               {"ts", window_.us(time_ns)}});
  };
  if (message.kind != MessageKind::receive) end("s", from, time.start_ns);
  if (message.kind != MessageKind::send) end("f", to, time.end_ns);
}

std::string CsvText::head() const {
  return std::string(heading);
}

std::string CsvText::begin_rank(int rank) {
  rank_ = rank;
  return {};
}

std::string CsvText::iteration(std::int64_t number, const RecordedIteration& recorded) {
  std::string text;
  const auto row = std::back_inserter(text);
  for (std::size_t p = 0; p < recorded.phases.size(); ++p) {
    const Phase& phase = recorded.iteration.phases[p];
    const auto times = [&](const Interval& time) {
      return fmt::format("{:.3f},{:.3f}", window_.us(time.start_ns), window_.us(time.end_ns));
    };
    if (window_.overlaps(recorded.phases[p])) {
      fmt::format_to(row, "{},{},{},{},,,,{},{}\n", rank_, number, p, to_string(phase.kind),
                     phase.memory_bytes, times(recorded.phases[p]));
    }
    for (std::int32_t m = phase.first_message; m < phase.first_message + phase.message_count; ++m) {
      const auto index = static_cast<std::size_t>(m);
      const Message& message = recorded.iteration.messages[index];
      if (!window_.overlaps(recorded.messages[index])) continue;
      fmt::format_to(row, "{},{},{},{},{},{},{},,{}\n", rank_, number, p, to_string(message.kind),
                     message.peer, message.size_bytes, message.repeat, times(recorded.messages[index]));
    }
  }
  return text;
}

}  // namespace finegrain
