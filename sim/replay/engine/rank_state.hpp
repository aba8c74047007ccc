// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/replay/engine/arrivals.hpp"
#include "sim/replay/engine/requests.hpp"
#include "sim/replay/programs/steps.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A collective operation that a rank is in the middle of.
struct UnderWay {
  CompiledBody::CollectiveStep collective;
  std::vector<std::int64_t> sizes;  ///< of its call, whose body may be gone
  std::int32_t instance = 0;
  std::int64_t rounds = 0;
  std::int64_t next_round = 0;
  CompiledBody round;  ///< at hand
  std::uint32_t step = 0;
  std::int64_t first_request = 0;  ///< the newest of the rank when it began
};

/// How far a rank is.
struct Rank {
  RankReplay replay;
  const CompiledBody* program = nullptr;  ///< of its iteration; none between two
  std::uint32_t step = 0;
  std::uint32_t region = 0;
  double region_start_s = 0;
  Requests requests;
  std::unique_ptr<UnderWay> collective;  ///< that it carries out now
  /// Those that it has only posted, by their requests' numbers.
  std::map<std::int64_t, std::unique_ptr<UnderWay>> posted;
  std::map<std::int32_t, std::int32_t> instances;  ///< posted so far, by communicator
  Arrivals arrivals;                               ///< of receives of any source
  bool has_finished = false;
};

}  // namespace finegrain::replay
