// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/scaling/lifted_ranks.hpp"
#include "traces/scaling/matched_messages.hpp"
#include "traces/scaling/recorded_ranks.hpp"
#include "traces/scaling/typical_laws.hpp"
#include "traces/scaling/work_trends.hpp"

namespace finegrain::scaling {

/// A recording with its messages.
struct MatchedRecording {
  const Recording* recording;
  MatchedMessages messages;
};

/// What all ranks do together.
struct ProgramTotals {
  double messages = 0;  ///< sent, put or got
  double bytes = 0;
  double collectives = 0;       ///< calls of all ranks
  double collective_bytes = 0;  ///< what they contribute, or have in tables
};
ProgramTotals totals_of(const MatchedMessages& messages);

/// What a program does on another number of ranks, where no exact rule says so: what it usually does.
///
/// Each new rank does what a recorded one did, in its order: that at the same place of a grid, if the grid of
/// the recorded ranks is laid side by side (LiftedRanks). A message goes to the copy of the recorded receiver
/// that is next to the sender. So any order in which the recorded ranks could proceed is one in which the
/// new ones can, and what is sent is received, whatever the program is; but for the lock of a master
/// (docs/scaling.md).
///
/// How many messages go from a place of the source, along each way in the grid, follows a law of the number
/// of ranks, and so does their size (typical_laws.hpp). Where there have to be more messages than the copies
/// have, some are sent twice: to the copy beyond the end of the recorded grid if there is one, else to the
/// same rank. Where there have to be fewer, some are left out. This is decided once for each message, and
/// both ends do it. Calls of collectives are repeated or left out by all ranks alike.
///
///     recorded: 0 <-> 1    on four ranks, by the law "pairs of neighbours" (2 then, 6 now):
///                          0 <-> 1   0 <-> 1    4 messages of the copies
///                                1 <-> 0        2 more, between them
///
/// A rank that has messages with most others (a master) has no copies: its copies only take part in
/// collectives.
class TypicalProgram {
 public:
  /// @param recordings  of at most the wanted ranks if there is one, else all are more
  /// @pre not empty; it outlives this
  TypicalProgram(std::span<const MatchedRecording> recordings, const Sites& sites, int ranks);

  const std::vector<formats::Communicator>& communicators() const { return communicators_; }
  formats::RankCalls make(int rank) const;
  ProgramTotals totals() const { return totals_; }

 private:
  /// How messages of one kind are: from one place, along one way.
  using Kind = std::tuple<int, bool, unsigned>;  ///< site, one-sided, ways
  /// A channel of the base, and what it becomes.
  struct Planned {
    Relation relation;
    double size_ratio = 1;
    std::vector<std::uint16_t> times = {};  ///< each message is sent so often, by copy
    std::uint16_t most_times = 1;
  };
  struct PlannedCall {
    std::uint32_t times = 1;
    double size_ratio = 1;
    double table_ratio = 1;
  };
  struct PlannedCommunicator {
    unsigned joined = 0;                       ///< dimensions whose copies are one communicator
    std::map<int, std::int32_t> numbers = {};  ///< in the new trace, by copy without the joined dimensions
    /// Position of a root, by copy without the joined dimensions and by the recorded position.
    std::map<std::pair<int, std::int32_t>, std::int32_t> roots = {};
    std::vector<PlannedCall> calls = {};
  };
  struct Sum {
    double messages = 0;
    double bytes = 0;
  };
  enum class Quantity : std::uint8_t { messages, mean_size };
  enum class Per : std::uint8_t { call, rank };
  class TypicalRank;

  static constexpr unsigned all_dimensions = 7;
  static constexpr unsigned far = ~0U;
  static constexpr unsigned of_hubs = ~1U;  ///< from or to a master, wherever it is
  static std::vector<bool> hubs_of(const MatchedMessages& messages);
  static Kind kind_of(const Channel& channel, const Relation& relation, const std::vector<bool>& hubs);
  static unsigned ways_of(const Kind& kind);

  void choose_grid(int ranks);
  std::map<Kind, std::vector<Recorded>> recorded_of(const std::vector<ProcessGrid>& grids,
                                                    Quantity quantity) const;
  void plan_channels();
  void plan_kind(const std::vector<std::int32_t>& channels, double messages);
  void plan_communicators();
  void plan_roots(const UsedCommunicator& used, int copy, const std::vector<std::int32_t>& ranks,
                  std::map<std::pair<int, std::int32_t>, std::int32_t>& roots) const;
  unsigned joined_dimensions(std::int32_t number, const UsedCommunicator& used) const;
  void plan_calls(const UsedCommunicator& used, PlannedCommunicator& planned) const;
  FittedLaw law_of_calls(int site, CollectiveKind kind, double (*quantity)(const CommonCall&), Per per,
                         std::span<const Law> laws) const;
  bool is_hub(int recorded) const {
    return hubs_[static_cast<std::size_t>(base_ - recordings_.data())][static_cast<std::size_t>(recorded)];
  }
  /// Whether only its rank in copy 0 exchanges messages in the communicator: it is a master, and all copies
  /// have one communicator.
  bool is_only_one(int recorded, std::int32_t communicator) const {
    return is_hub(recorded) && planned_communicators_.at(communicator).joined == all_dimensions;
  }
  bool is_hub_channel(const Channel& channel) const {
    return is_only_one(channel.from, channel.communicator) || is_only_one(channel.to, channel.communicator);
  }
  unsigned joined_of(std::int32_t channel) const {
    return planned_communicators_
        .at(base_->messages.channels()[static_cast<std::size_t>(channel)].communicator)
        .joined;
  }
  /// Whether the n-th message goes to the n-th copy from the sender's on: between ranks far from each other.
  bool is_spread(std::int32_t channel) const {
    return !planned_[static_cast<std::size_t>(channel)].relation.is_near &&
           !base_->messages.channels()[static_cast<std::size_t>(channel)].is_one_sided &&
           joined_of(channel) == all_dimensions;
  }
  /// The copy in which the receiver of the n-th message is.
  std::optional<int> other_copy(std::int32_t channel, int copy, int n) const;
  /// Both ends of the copy of a channel.
  bool exists(std::int32_t channel, int copy) const;
  std::vector<std::array<int, 3>> more_steps(std::int32_t channel) const;

  std::span<const MatchedRecording> recordings_;
  const MatchedRecording* base_;
  const Sites& sites_;
  std::vector<ProcessGrid> grids_;  ///< shape [recordings]
  const ProcessGrid* base_grid_ = nullptr;
  std::optional<LiftedRanks> lifted_;
  std::vector<std::vector<bool>> hubs_;  ///< shape [recordings][ranks]
  std::vector<Planned> planned_;         ///< shape [channels of the base]
  std::map<std::int32_t, PlannedCommunicator> planned_communicators_;
  std::vector<formats::Communicator> communicators_;
  WorkTrends trends_;
  ProgramTotals totals_;
};

}  // namespace finegrain::scaling
