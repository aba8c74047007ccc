// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/pattern/pattern.hpp"
#include "traces/run.hpp"

namespace finegrain::policy::node_aware {

/// The sending and the receiving rank. Sizes are the bytes that go from one to the other.
using Pair = std::pair<std::int32_t, std::int32_t>;
using Sizes = std::map<Pair, std::int64_t>;

/// What goes from rank to rank in one iteration.
struct Plan {
  Sizes direct;    ///< from an owner to a rank of its node that reads the elements
  Sizes parts;     ///< from an owner to a leader of its node, which may be itself
  Sizes exchange;  ///< from a leader to the leader of another node
  Sizes scatter;   ///< from a leader to a rank of its node, which may be itself

  /// The messages of the first round.
  Sizes gather() const;
};

/// @param needs  what each rank reads of others, shape [ranks]
Plan plan_of(const Run& run, std::span<const std::vector<pattern::PeerBytes>> needs);
Plan plan_of(const Run& run, std::span<const pattern::RankCounts> counts);

/// What one rank sends and receives in a round, each in ascending order of peers.
struct Messages {
  std::vector<pattern::PeerBytes> in;
  std::vector<pattern::PeerBytes> out;
};

/// The messages of a round. What a rank keeps for itself is no message. Shape [ranks].
std::vector<Messages> messages_of(const Sizes& round, std::size_t ranks);

/// Bytes of each rank, shape [ranks].
struct Totals {
  Totals(const Plan& plan, std::size_t ranks);

  std::vector<std::int64_t> packed;     ///< its own elements
  std::vector<std::int64_t> gathered;   ///< others' parts, copied into the messages that it leads
  std::vector<std::int64_t> scattered;  ///< packed for the ranks of its node, itself included
};

}  // namespace finegrain::policy::node_aware
