// SPDX-License-Identifier: MIT
#include "traces/formats/paje_rank.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/formats/rank_calls.hpp"

namespace finegrain::formats {

std::string paje_quoted(std::string_view name) {
  std::string quoted = fmt::format("\"{}\"", name);
  std::replace(quoted.begin() + 1, quoted.end() - 1, '"', '\'');
  return quoted;
}

const PajeEvent* PajeRank::front() {
  if (events_.empty()) read_more();
  return events_.empty() ? nullptr : &events_.front();
}

void PajeRank::read_more() {
  while (events_.empty()) {
    const auto recorded = reader_.next();
    if (!recorded) return;
    for (std::size_t r = 0; r < recorded->regions.size(); ++r) {
      const Interval& time = recorded->regions[r];
      events_.push_back({time.start_ns, push_state,
                         fmt::format("S r{} {}", rank_, paje_quoted(recorded->body.regions[r].name.text()))});
      events_.push_back({time.end_ns, pop_state, fmt::format("S r{}", rank_)});
    }
    add_links(*recorded, events_);
    std::ranges::stable_sort(events_, {}, &PajeEvent::time_ns);
    // A clock that was corrected may go back a little.
    for (PajeEvent& event : events_)
      event.time_ns = last_ns_ = std::max(last_ns_, event.time_ns);
  }
}

void PajeRank::add_links(const RecordedIteration& recorded, std::deque<PajeEvent>& events) {
  std::size_t post_number = 0;
  for (const Operation& operation : recorded.body.operations) {
    if (const auto* post = std::get_if<Post>(&operation)) {
      if (makes_request(*post)) ++requests_;
      add_link(*post, recorded.posts[post_number++], events);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      requests_ += collective->blocking ? 0 : 1;
    } else if (const auto* complete = std::get_if<Complete>(&operation)) {
      const std::int64_t first = requests_ + 1 - complete->oldest;
      const auto from = open_receives_.lower_bound(first);
      const auto to = open_receives_.lower_bound(first + complete->count);
      for (auto receive = from; receive != to; ++receive)
        events.push_back({recorded.time.end_ns, end_link, std::move(receive->second)});
      open_receives_.erase(from, to);
    }
  }
}

void PajeRank::add_link(const Post& post, const Interval& time, std::deque<PajeEvent>& events) {
  // A message that was never received moves nothing.
  if (is_nothing(post, rank_)) return;
  // Both ends of a link have to have the same value, and a receive's buffer may be longer than its message.
  // So the size is a field of the start only.
  if (!is_two_sided(post.kind)) {
    const std::string key = fmt::format("o{}_{}", rank_, one_sided_++);
    const auto from = is_incoming(post.kind) ? post.peer : rank_;
    const auto to = is_incoming(post.kind) ? rank_ : post.peer;
    const std::string_view value = to_string(post.kind);
    events.push_back({time.start_ns, start_link,
                      fmt::format("L run \"{}\" r{} {} {}", value, from, key, post.size_bytes)});
    events.push_back({time.end_ns, end_link, fmt::format("L run \"{}\" r{} {}", value, to, key)});
    return;
  }
  // Messages that are alike are received in the order in which they are sent.
  const bool sends = post.kind == TransferKind::send;
  std::int64_t& count = counts_[{sends ? 1 : 0, post.communicator, post.peer, post.tag}];
  text_->expect(static_cast<double>(post.repeat), "8 0.000000000 L run \"message\" r0 m0_0_1_0_0 1\n");
  for (std::int64_t i = 0; i < post.repeat; ++i) {
    const std::string key = fmt::format("m{}_{}_{}_{}_{}", post.communicator, sends ? rank_ : post.peer,
                                        sends ? post.peer : rank_, post.tag, count++);
    std::string text = fmt::format("L run \"message\" r{} {}", rank_, key);
    if (sends) {
      events.push_back({time.start_ns, start_link, fmt::format("{} {}", text, post.size_bytes)});
    } else if (are_calls_ && !post.blocking) {
      // A program's receive ends when it is known to.
      open_receives_[requests_] = std::move(text);
    } else {
      events.push_back({time.end_ns, end_link, std::move(text)});
    }
  }
}

}  // namespace finegrain::formats
