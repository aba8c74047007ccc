// SPDX-License-Identifier: MIT
#include "run_together.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>

namespace finegrain::test {
namespace {

using collectives::Call;
using Channel = std::pair<std::size_t, std::size_t>;  // from, to

struct Request {
  bool is_receive;
  std::int64_t bytes;
  std::vector<bool> data;  ///< whose data a send carries, and a receive once it is matched
  bool matched = false;
};

struct Rank {
  std::vector<Operation> operations;
  std::size_t next = 0;
  bool is_posted = false;  ///< the blocking post that it waits in
  std::deque<Request> requests;
  std::vector<std::size_t> nonblocking;  ///< indices into requests
  std::vector<bool> knows;
};

class Machine {
 public:
  Machine(const std::vector<Call>& calls, const collectives::Choice& choice) : ranks_(calls.size()) {
    outcome_.received_bytes.resize(calls.size());
    for (std::size_t r = 0; r < calls.size(); ++r) {
      ranks_[r].operations = collectives::expand(calls[r], choice);
      ranks_[r].knows.resize(calls.size());
      ranks_[r].knows[r] = true;
    }
  }

  Outcome run() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        while (outcome_.problem.empty() && step(r))
          has_moved = true;
    }
    for (std::size_t r = 0; r < ranks_.size() && outcome_.problem.empty(); ++r)
      check_end(r);
    for (const Rank& rank : ranks_)
      outcome_.knows.push_back(rank.knows);
    return outcome_;
  }

 private:
  /// @returns whether the rank went on by an operation
  bool step(std::size_t r) {
    Rank& rank = ranks_[r];
    if (rank.next == rank.operations.size()) return false;
    const Operation& operation = rank.operations[rank.next];
    if (const auto* post = std::get_if<Post>(&operation)) {
      if (!rank.is_posted) begin(r, *post);
      rank.is_posted = post->blocking;
      if (post->blocking && !rank.requests.back().matched) return false;
      if (post->blocking) take(rank, rank.requests.back());
      rank.is_posted = false;
    } else if (const auto* complete = std::get_if<Complete>(&operation)) {
      const auto open = static_cast<std::int64_t>(rank.nonblocking.size());
      if (complete->oldest < 1 || complete->oldest > open || complete->count > complete->oldest) {
        outcome_.problem = fmt::format("rank {}: {} of {} requests", r, describe(operation), open);
        return false;
      }
      const auto first = static_cast<std::size_t>(open - complete->oldest);
      const auto end = first + static_cast<std::size_t>(complete->count);
      for (std::size_t n = first; n < end; ++n)
        if (!rank.requests[rank.nonblocking[n]].matched) return false;
      for (std::size_t n = first; n < end; ++n)
        take(rank, rank.requests[rank.nonblocking[n]]);
      for (std::size_t n = first; n < end; ++n)
        completed_[{r, n}] = true;
    }
    ++rank.next;
    return true;
  }

  void begin(std::size_t r, const Post& post) {
    if (post.peer < 0 || post.peer >= static_cast<int>(ranks_.size()) || post.size_bytes < 0 ||
        post.peer == static_cast<int>(r)) {
      outcome_.problem = fmt::format("rank {}: {}", r, describe(post));
      return;
    }
    Rank& rank = ranks_[r];
    const bool is_receive = post.kind == TransferKind::receive;
    rank.requests.push_back({is_receive, post.size_bytes, rank.knows});
    const std::size_t index = rank.requests.size() - 1;
    if (!post.blocking) rank.nonblocking.push_back(index);
    const auto peer = static_cast<std::size_t>(post.peer);
    const Channel channel = is_receive ? Channel{peer, r} : Channel{r, peer};
    std::deque<std::size_t>& others = waiting_[is_receive ? 0 : 1][channel];
    if (others.empty()) {
      waiting_[is_receive ? 1 : 0][channel].push_back(index);
      return;
    }
    match(r, index, peer, others.front());
    others.pop_front();
  }

  void match(std::size_t r, std::size_t index, std::size_t other, std::size_t other_index) {
    Request& own = ranks_[r].requests[index];
    Request& others = ranks_[other].requests[other_index];
    if (own.bytes != others.bytes)
      outcome_.problem = fmt::format("ranks {} and {}: {} and {} bytes", r, other, own.bytes, others.bytes);
    own.matched = others.matched = true;
    (own.is_receive ? own : others).data = (own.is_receive ? others : own).data;
    outcome_.received_bytes[own.is_receive ? r : other] += own.bytes;
    ++outcome_.messages;
  }

  static void take(Rank& rank, const Request& request) {
    if (!request.is_receive) return;
    for (std::size_t s = 0; s < rank.knows.size(); ++s)
      if (request.data[s]) rank.knows[s] = true;
  }

  void check_end(std::size_t r) {
    const Rank& rank = ranks_[r];
    if (rank.next < rank.operations.size()) {
      outcome_.problem = fmt::format("rank {} waits in operation {}: {}", r, rank.next,
                                     describe(rank.operations[rank.next]));
      return;
    }
    for (std::size_t n = 0; n < rank.nonblocking.size(); ++n)
      if (!completed_.contains({r, n})) outcome_.problem = fmt::format("rank {} forgets request {}", r, n);
  }

  std::vector<Rank> ranks_;
  /// Sends and receives that wait for their counterpart, as indices into their rank's requests.
  std::array<std::map<Channel, std::deque<std::size_t>>, 2> waiting_;
  std::map<std::pair<std::size_t, std::size_t>, bool> completed_;
  Outcome outcome_;
};

}  // namespace

Outcome run_together(const std::vector<Call>& calls, const collectives::Choice& choice) {
  return Machine(calls, choice).run();
}

}  // namespace finegrain::test
