// SPDX-License-Identifier: MIT
#include "traces/formats/any_source.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>

#include "traces/formats/matching.hpp"

namespace finegrain::formats {
namespace {

struct Receive {
  std::size_t operation;
  std::int64_t request;  ///< 0: it blocks
};

class Rank {
 public:
  explicit Rank(RankCalls& calls)
      : calls_(&calls), is_done_(static_cast<std::size_t>(calls.requests) + 1, 1) {}

  std::size_t next = 0;    ///< operation
  bool has_begun = false;  ///< it waits in that operation
  bool has_ended() const { return next == calls_->operations.size(); }
  const Operation& operation() const { return calls_->operations[next]; }

  void post(const Post& post) {
    const std::int64_t request = makes_request(post) ? ++requests_ : 0;
    if (post.kind != TransferKind::receive) return;
    is_done_[static_cast<std::size_t>(request)] = 0;
    const bool any_tag = post.tag == unknown_tag;
    const Receive receive{next, request};
    if (const auto taken =
            matching_.post({post.communicator, post.peer, any_tag, any_tag ? 0 : post.tag}, receive))
      take(receive, taken->first, taken->second);
  }
  void count_request() { ++requests_; }

  /// A message arrives. @returns whether a receive that waits took it
  bool arrive(const Envelope& message, std::int64_t size_bytes) {
    const auto receive = matching_.arrive(message, size_bytes);
    if (receive) take(*receive, message, size_bytes);
    return receive.has_value();
  }

  bool is_done(const Complete& complete) const {
    const std::int64_t first = complete.is_all() ? 1 : requests_ + 1 - complete.oldest;
    const std::int64_t after = complete.is_all() ? requests_ + 1 : first + complete.count;
    for (std::int64_t request = first; request < after; ++request) {
      if (is_done_[static_cast<std::size_t>(request)] == 0) return false;
    }
    return true;
  }
  bool blocking_receive_is_done() const { return is_done_[0] != 0; }

  AnySource counts;

 private:
  void take(const Receive& receive, const Envelope& message, std::int64_t size_bytes) {
    is_done_[static_cast<std::size_t>(receive.request)] = 1;
    auto& post = std::get<Post>(calls_->operations[receive.operation]);
    if (!is_unknown(post)) return;
    post.peer = message.source;
    post.tag = message.tag;
    post.communicator = message.communicator;
    if (post.size_bytes == unknown_size) post.size_bytes = size_bytes;
    ++counts.found;
  }

  RankCalls* calls_;
  std::vector<char> is_done_;  ///< by the number of the request; 0: the blocking receive
  std::int64_t requests_ = 0;
  Matching<std::int64_t, Receive> matching_;  ///< messages stand in it as their sizes
};

class Execution {
 public:
  Execution(std::span<RankCalls> ranks, std::span<const Communicator> communicators)
      : communicators_(communicators), waiting_(communicators.size() + 1) {
    for (RankCalls& rank : ranks) {
      ready_.push_back(static_cast<std::int32_t>(ranks_.size()));
      ranks_.emplace_back(rank);
    }
  }

  AnySource run() {
    while (!ready_.empty()) {
      const std::int32_t number = ready_.front();
      ready_.pop_front();
      Rank& rank = ranks_[static_cast<std::size_t>(number)];
      while (!rank.has_ended() && step(number, rank)) {
        ++rank.next;
        rank.has_begun = false;
      }
    }
    AnySource sum;
    for (const Rank& rank : ranks_) {
      sum.found += rank.counts.found;
      sum.is_complete = sum.is_complete && rank.has_ended();
    }
    return sum;
  }

 private:
  /// @returns whether the rank goes on
  bool step(std::int32_t number, Rank& rank) {
    const Operation& operation = rank.operation();
    if (const auto* post = std::get_if<Post>(&operation)) return step(number, rank, *post);
    if (const auto* complete = std::get_if<Complete>(&operation)) return rank.is_done(*complete);
    if (const auto* collective = std::get_if<Collective>(&operation)) {
      if (collective->blocking) return meet(number, rank, collective->communicator);
      rank.count_request();
    }
    return true;
  }
  bool step(std::int32_t number, Rank& rank, const Post& post) {
    if (rank.has_begun) return rank.blocking_receive_is_done();
    const bool blocks = post.kind == TransferKind::receive && post.blocking;
    for (std::int64_t i = 0; post.kind == TransferKind::send && i < post.repeat; ++i) {
      Rank& receiver = ranks_[static_cast<std::size_t>(post.peer)];
      if (receiver.arrive({post.communicator, number, false, post.tag}, post.size_bytes) &&
          post.peer != number)
        ready_.push_back(post.peer);
    }
    rank.has_begun = blocks;
    rank.post(post);
    return !blocks || rank.blocking_receive_is_done();
  }
  bool meet(std::int32_t number, Rank& rank, std::int32_t communicator) {
    if (rank.has_begun) return has_met_[number] > 0 && --has_met_[number] == 0;
    rank.has_begun = true;
    auto& here = waiting_[static_cast<std::size_t>(communicator)];
    here.push_back(number);
    const std::size_t all = communicator == 0
                                ? ranks_.size()
                                : communicators_[static_cast<std::size_t>(communicator) - 1].ranks.size();
    if (here.size() < all) return false;
    for (const std::int32_t other : here) {
      has_met_[other] = 1;
      if (other != number) ready_.push_back(other);
    }
    here.clear();
    has_met_[number] = 0;
    return true;
  }

  std::span<const Communicator> communicators_;
  std::deque<Rank> ranks_;
  std::deque<std::int32_t> ready_;
  std::vector<std::vector<std::int32_t>> waiting_;  ///< ranks that came to a collective, by communicator
  std::map<std::int32_t, int> has_met_;             ///< ranks whose collective is done
};

}  // namespace

AnySource find_sources(std::span<RankCalls> ranks, std::span<const Communicator> communicators) {
  std::int64_t unknown = 0;
  for (const RankCalls& rank : ranks)
    for_each_post(rank.operations, [&](const Post& post) { unknown += is_unknown(post) ? 1 : 0; });
  if (unknown == 0) return {};
  AnySource result = Execution(ranks, communicators).run();
  result.unfound = unknown - result.found;
  return result;
}

void append_notes(std::vector<std::string>& notes, const AnySource& sources) {
  if (sources.found > 0)
    notes.push_back(
        fmt::format("{} receives of any source or tag: the trace does not say what they took. Each got what "
                    "it takes in an "
                    "execution in which no send waits",
                    sources.found));
  if (sources.unfound > 0)
    notes.push_back(fmt::format("{} receives of any source or tag find no message{}", sources.unfound,
                                sources.is_complete ? "" : " (some ranks wait for ever)"));
}

}  // namespace finegrain::formats
