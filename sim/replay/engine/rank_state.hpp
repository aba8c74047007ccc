// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/replay/engine/requests.hpp"
#include "sim/replay/noise.hpp"
#include "sim/replay/programs/steps.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A collective operation that a rank is in the middle of.
struct UnderWay {
  CompiledBody::CollectiveStep collective;
  std::vector<std::int64_t> sizes;  ///< its call's, whose body may be gone
  std::int32_t instance = 0;
  std::int64_t rounds = 0;
  std::int64_t next_round = 0;
  CompiledBody round;  ///< at hand
  std::uint32_t step = 0;
  std::int64_t first_request = 0;  ///< the newest of the rank when it began
};

/// What does one step after the other: a rank, or a collective that a rank has posted, which goes on beside
/// it.
struct Strand {
  /// Tells apart the collectives that a rank has posted: the communicator, and the instance on it.
  using Posting = std::pair<std::int32_t, std::int32_t>;

  std::size_t rank = 0;
  Requests requests;
  std::unique_ptr<UnderWay> collective;  ///< that it carries out now
  /// The last of the ranks that entered that collective, of those on which what it does now depends, itself
  /// among them.
  Partner entered;
  /// How much earlier it would have come to where it is in that collective if all bytes had been alone on
  /// their way.
  double delayed_s = 0;
  double waits_since_s = 0;  ///< its last wait began
  // A posted collective's:
  Posting posting;
  std::int64_t request = 0;  ///< the rank's, which its end completes
};

/// How far a rank is.
struct Rank : Strand {
  RankReplay replay;
  const CompiledBody* program = nullptr;  ///< its iteration's; none between two
  std::uint32_t step = 0;
  std::uint32_t region = 0;
  double region_start_s = 0;
  double work_before_call_s = 0;                   ///< since its last call
  std::map<std::int32_t, std::int32_t> instances;  ///< collectives posted so far, by communicator
  /// Strands of those that have not ended. Of one instance the first goes on, and the others come after it.
  std::map<Posting, std::deque<std::size_t>> posted;
  std::optional<CoreNoise> noise;
  double begins_s = 0;        ///< before, it waits for its job to begin, and its core does not matter
  Waits waits;                ///< its region's so far (RankReplay::waits)
  double memory_start_s = 0;  ///< when the work over memory began that it is at
  double goes_on_s = 0;       ///< when it went on last, or will
  bool is_undecided = false;  ///< it waits until it is known what it does next
  bool has_finished = false;
};

}  // namespace finegrain::replay
