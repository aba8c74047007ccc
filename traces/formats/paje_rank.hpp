// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "traces/formats/export_text.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// A line of a Paje trace, without its time.
struct PajeEvent {
  std::int64_t time_ns = 0;
  int kind = 0;           ///< as the header numbers it
  std::string text = {};  ///< what follows the time
};

/// Events of the header of a Paje trace that have a time.
enum PajeKind : std::uint8_t {
  create_container = 4,
  destroy_container,
  push_state,
  pop_state,
  start_link,
  end_link
};

/// A name in quotes.
std::string paje_quoted(std::string_view name);

/// One rank's states and ends of links, in the order of their times.
class PajeRank {
 public:
  /// @param text  where its events will be written
  PajeRank(const Trace& trace, std::int32_t rank, const ExportText& text)
      : are_calls_(trace.names_functions()), rank_(rank), reader_(trace.rank(rank)), text_(&text) {}

  /// The next event, valid until pop(); none after the last. @throws InputError if a call's events are too
  /// many
  const PajeEvent* front();
  void pop() { events_.pop_front(); }

 private:
  /// What messages that are alike share: whether sent, communicator, peer and tag.
  using Alike = std::array<std::int32_t, 4>;

  void read_more();
  void add_links(const RecordedIteration& recorded, std::deque<PajeEvent>& events);
  void add_link(const Post& post, const Interval& time, std::deque<PajeEvent>& events);

  bool are_calls_;
  std::int32_t rank_;
  Trace::RankReader reader_;
  const ExportText* text_;
  std::deque<PajeEvent> events_;
  std::int64_t last_ns_ = INT64_MIN;
  std::map<Alike, std::int64_t> counts_;
  std::int64_t requests_ = 0;
  std::int64_t one_sided_ = 0;
  std::map<std::int64_t, std::string> open_receives_;  ///< a program's, by their requests: the links that end
};

}  // namespace finegrain::formats
