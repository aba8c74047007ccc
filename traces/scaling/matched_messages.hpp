// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "traces/scaling/recorded_ranks.hpp"

namespace finegrain::scaling {

/// All messages that one rank sends another from one place of the source; or what it puts to it, or gets.
struct Channel {
  int site = 0;  ///< where they are sent, or begun
  int from = 0;  ///< the rank that sends, or begins
  int to = 0;
  bool is_one_sided = false;
  std::int32_t communicator = 0;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  std::int64_t element_bytes = 0;  ///< 8, 4 or 1, of which all its sizes are multiples
};

bool has_root(CollectiveKind kind);
/// For what it sends to each rank, and for what it receives.
bool has_two_tables(CollectiveKind kind);
bool has_table_at_root(CollectiveKind kind);
bool is_of_neighbours(CollectiveKind kind);

/// What all ranks of a communicator call together.
struct CommonCall {
  int site = 0;  ///< where the lowest of its ranks calls it
  CollectiveKind kind = CollectiveKind::barrier;
  double bytes = 0;        ///< the mean of the ranks'
  double table_bytes = 0;  ///< the mean of what their tables say they send, of those that have one
  std::int32_t root = 0;   ///< its number in the communicator
  std::vector<std::int64_t> table_at_root = {};  ///< gatherv, scatterv: the root's
};

struct UsedCommunicator {
  std::vector<std::int32_t> members;
  std::vector<CommonCall> calls = {};
};

/// The messages of a recording: each receive with its send, and each collective with those of the other
/// ranks.
class MatchedMessages {
 public:
  /// @throws InputError if a message has no other end, or ranks of a communicator differ in their calls
  explicit MatchedMessages(const Recording& recording);

  int ranks() const { return static_cast<int>(number_of_.size()); }
  const std::vector<Channel>& channels() const { return channels_; }
  /// By their numbers in the trace.
  const std::map<std::int32_t, UsedCommunicator>& communicators() const { return communicators_; }
  /// The channel of a post; how many collectives a collective's communicator had before; -1 for others.
  std::int32_t number_of(int rank, std::size_t operation) const {
    return number_of_[static_cast<std::size_t>(rank)][operation];
  }

 private:
  void match_posts(const Recording& recording);
  void match_collectives(const Recording& recording);

  std::vector<Channel> channels_;
  std::map<std::int32_t, UsedCommunicator> communicators_;
  std::vector<std::vector<std::int32_t>> number_of_;
};

}  // namespace finegrain::scaling
