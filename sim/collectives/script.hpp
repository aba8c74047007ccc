// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::collectives {

/// Writes down what a rank does, in the words of MPI's functions.
class Script {
 public:
  Script(int rank, std::vector<Operation>& out) : rank_(rank), out_(out) {}

  void send(int to, std::int64_t bytes) { post(TransferKind::send, true, to, bytes); }
  void receive(int from, std::int64_t bytes) { post(TransferKind::receive, true, from, bytes); }
  /// A send that ends when its receive has begun (MPI_Ssend).
  void send_synchronously(int to, std::int64_t bytes) {
    out_.emplace_back(Post{.kind = TransferKind::send,
                           .blocking = true,
                           .is_synchronous = true,
                           .peer = to,
                           .size_bytes = bytes});
  }
  void start_send(int to, std::int64_t bytes) { post(TransferKind::send, false, to, bytes); }
  void start_receive(int from, std::int64_t bytes) { post(TransferKind::receive, false, from, bytes); }

  /// The newest requests.
  void complete(std::int64_t count = 1) { complete_from(count, count); }
  /// Completes requests from the one on that was made `oldest` requests ago; 1 is the newest.
  void complete_from(std::int64_t oldest, std::int64_t count = 1) {
    if (count > 0) out_.emplace_back(Complete{.oldest = oldest, .count = count});
  }

  /// Sends and receives at once. With itself, a rank copies.
  void exchange(int to, std::int64_t sent, int from, std::int64_t received) {
    if (to == rank_ && from == rank_) return copy(received);
    start_receive(from, received);
    send(to, sent);
    complete();
  }
  void exchange(int peer, std::int64_t sent, std::int64_t received) { exchange(peer, sent, peer, received); }

  /// Combines what was received with what the rank has: two vectors are loaded, one is stored.
  void reduce(std::int64_t bytes) {
    if (bytes > 0) out_.emplace_back(Work{.memory_bytes = 3 * bytes});
  }
  void copy(std::int64_t bytes) {
    if (bytes > 0) out_.emplace_back(Work{.memory_bytes = 2 * bytes, .copied_bytes = bytes});
  }

 private:
  void post(TransferKind kind, bool blocking, int peer, std::int64_t bytes) {
    out_.emplace_back(Post{.kind = kind, .blocking = blocking, .peer = peer, .size_bytes = bytes});
  }

  int rank_;
  std::vector<Operation>& out_;
};

/// A long list of like things to do, such as n receives, is cut into rounds of this many.
inline constexpr std::int64_t items_per_round = 64;

constexpr std::int64_t rounds_of(std::int64_t items) {
  return (items + items_per_round - 1) / items_per_round;
}

/// Calls visit(item) for those of one round.
template <class Visit>
void for_each_item(std::int64_t round, std::int64_t items, Visit&& visit) {
  const std::int64_t end = std::min(items, (round + 1) * items_per_round);
  for (std::int64_t item = round * items_per_round; item < end; ++item)
    visit(item);
}

}  // namespace finegrain::collectives
