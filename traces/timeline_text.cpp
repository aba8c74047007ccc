// SPDX-License-Identifier: MIT
#include "traces/timeline_text.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "traces/io/csv.hpp"

namespace finegrain {
namespace {

using Event = nlohmann::ordered_json;

Event metadata(const char* name, int node, Event arguments) {
  return {{"ph", "M"}, {"name", name}, {"pid", node}, {"args", std::move(arguments)}};
}

/// Hexadecimal, as Perfetto reads the identity of an arrow.
std::string arrow_identity(const Post& post, int from, int to, std::uint64_t number) {
  // A send and its receive are one arrow.
  const TransferKind kind = post.kind == TransferKind::receive ? TransferKind::send : post.kind;
  const std::array<std::uint64_t, 6> numbers = {
      static_cast<std::uint64_t>(kind),     static_cast<std::uint64_t>(from),
      static_cast<std::uint64_t>(to),       static_cast<std::uint64_t>(post.communicator),
      static_cast<std::uint64_t>(post.tag), number};
  return fmt::format("{:#x}", XXH3_64bits(numbers.data(), sizeof numbers));
}

std::string_view does(TransferKind kind) {
  switch (kind) {
    case TransferKind::send:
      return "sends";
    case TransferKind::receive:
      return "receives";
    case TransferKind::put:
      return "puts";
    case TransferKind::get:
      return "gets";
    case TransferKind::load:
      return "loads";
    case TransferKind::store:
      return "stores";
    case TransferKind::accumulate:
      return "accumulates";
    case TransferKind::fetch:
      return "fetches";
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
  for (std::size_t r = 0; r < recorded.regions.size(); ++r) {
    const Region& region = recorded.body.regions[r];
    const Interval& time = recorded.regions[r];
    if (!window_.overlaps(time)) continue;
    add(text,
        {{"ph", "X"},
         {"cat", "phase"},
         {"name", region.name.text()},
         {"pid", node(rank_)},
         {"tid", rank_},
         {"ts", window_.us(time.start_ns)},
         {"dur", static_cast<double>(time.length_ns()) / 1e3},
         {"args",
          {{"iteration", number}, {"memory bytes", memory_bytes(recorded.body.operations_of(region))}}}});
  }
  auto time = recorded.posts.begin();
  for_each_post(recorded.body.operations, [&](const Post& post) { add_post(text, number, post, *time++); });
  return text;
}

void ChromeText::add_post(std::string& text, std::int64_t iteration, const Post& post, const Interval& time) {
  ++messages_;
  if (!window_.overlaps(time)) {
    ++messages_of_peer_[{post.kind, post.peer, post.communicator, post.tag}];
    return;
  }
  // Wraps instead of overflowing, whatever a file says.
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(post.size_bytes) * static_cast<std::uint64_t>(post.repeat);
  Event event{
      {"ph", "b"},
      {"cat", "message"},
      {"name", fmt::format("rank {} {}", rank_, does(post.kind))},
      {"id", fmt::format("{:#x}", messages_)},
      {"pid", node(rank_)},
      {"tid", rank_},
      {"ts", window_.us(time.start_ns)},
      {"args", {{"peer", post.peer}, {"bytes", bytes}, {"repeat", post.repeat}, {"iteration", iteration}}}};
  add(text, event);
  event["ph"] = "e";
  event["ts"] = window_.us(time.end_ns);
  event.erase("args");
  add(text, event);
  add_arrow(text, post, time);
}

void ChromeText::add_arrow(std::string& text, const Post& post, const Interval& time) {
  const std::uint64_t number = messages_of_peer_[{post.kind, post.peer, post.communicator, post.tag}]++;
  if (!window_.shows(post.peer) || post.peer == rank_) return;
  const bool from_here = !is_incoming(post.kind);
  const int from = from_here ? rank_ : post.peer;
  const int to = from_here ? post.peer : rank_;
  const std::string identity = arrow_identity(post, from, to, number);
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
  if (post.kind != TransferKind::receive) end("s", from, time.start_ns);
  if (post.kind != TransferKind::send) end("f", to, time.end_ns);
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
  const auto times = [&](const Interval& time) {
    return fmt::format("{:.3f},{:.3f}", window_.us(time.start_ns), window_.us(time.end_ns));
  };
  auto time = recorded.posts.begin();
  for (std::size_t r = 0; r < recorded.regions.size(); ++r) {
    const Region& region = recorded.body.regions[r];
    const auto operations = recorded.body.operations_of(region);
    if (window_.overlaps(recorded.regions[r])) {
      const std::string name = csv_field(region.name.text());
      fmt::format_to(row, "{},{},{},{},,,,{},{}\n", rank_, number, r, name, memory_bytes(operations),
                     times(recorded.regions[r]));
    }
    for_each_post(operations, [&](const Post& post) {
      const Interval& posted = *time++;
      if (!window_.overlaps(posted)) return;
      fmt::format_to(row, "{},{},{},{},{},{},{},,{}\n", rank_, number, r, to_string(post.kind), post.peer,
                     post.size_bytes, post.repeat, times(posted));
    });
  }
  return text;
}

}  // namespace finegrain
