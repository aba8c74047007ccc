// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "traces/formats/rank_calls.hpp"
#include "traces/operation.hpp"
#include "traces/scaling/recorded_ranks.hpp"
#include "traces/scaling/typical_program.hpp"

namespace finegrain::scaling {

/// Makes one rank of a typical program: the calls of the recorded rank of which it is a copy, with the
/// messages that were planned for it.
class TypicalProgram::TypicalRank {
 public:
  TypicalRank(const TypicalProgram& plan, int rank);

  formats::RankCalls calls() &&;

 private:
  using Requests = std::vector<std::int64_t>;
  enum class End : std::uint8_t { sender, receiver };
  enum class Tables : std::uint8_t { one, two };  ///< of what it sends; and of what it receives

  void add(const RecordedOperation& made, std::size_t number);
  void add_posts(Post post, std::int32_t channel, Requests& requests);
  void add_lock(Lock lock);
  void add_collectives(Collective collective, const std::vector<std::int64_t>& table, std::int32_t before,
                       Requests& requests);
  void complete(const Completion& completion);

  std::int32_t communicator(std::int32_t recorded) const;
  /// The rank that is to this one as a recorded one is to that of which this is a copy.
  std::optional<int> neighbour(int recorded, std::int32_t communicator) const;
  /// Those that a neighbour collective has for a recorded one.
  std::vector<int> neighbours(int recorded, std::int32_t communicator) const;

  /// The other ranks of a message. All ends take its copies in the same order, so that blocking ones end.
  const std::vector<int>& other_ranks(std::int32_t channel, End end);
  std::vector<int> ranks_at_other_end(std::int32_t channel, End end) const;
  std::vector<int> ranks_of_senders(std::int32_t channel) const;
  /// The copies whose messages may go to this one, without those that go to any copy (is_spread()).
  std::vector<int> copies_of_near_senders(const Planned& planned, std::int32_t channel) const;

  /// @param communicator  its number in the new trace
  int members_of(std::int32_t communicator) const;
  int member(std::int32_t communicator, int place) const;
  std::optional<std::int32_t> position_of(int rank, std::int32_t communicator) const;
  /// What the collective has for each rank of the new communicator.
  std::vector<std::int64_t> table_of(const std::vector<std::int64_t>& table, const UsedCommunicator& used,
                                     std::int32_t communicator, double ratio, Tables tables) const;
  std::vector<std::int64_t> table_of_neighbours(const std::vector<std::int64_t>& table,
                                                const UsedCommunicator& used, std::int32_t recorded,
                                                double ratio) const;

  const TypicalProgram& plan_;
  int rank_;
  int recorded_;
  int copy_;
  formats::RankCalls calls_;
  std::vector<Requests> open_;  ///< by request of the recorded rank: those that were made for it
  std::map<std::pair<std::int32_t, End>, std::vector<int>> other_ranks_;
};

}  // namespace finegrain::scaling
