// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/graph/traffic.hpp"

namespace finegrain::report {

/// A time of every rank.
struct RankTimes {
  std::string source;           ///< "simulated", "measured", "closed form"
  std::string name;             ///< the phase's
  std::vector<double> ranks_s;  ///< shape [ranks]
};

/// The bars of all ranks. With more ranks than `most_bars`, a bar has the least, mean and most of a group of
/// neighbouring ranks.
/// @param traffic  shape [ranks]
nlohmann::json rank_bars(const std::vector<RankTimes>& times, const std::vector<graph::RankTraffic>& traffic,
                         int most_bars = 128);

/// For every rank, the time of every phase, and the bytes that it exchanges within its node and with others,
/// as in Figures 1 and 2 of Lagravière et al. 2019.
nlohmann::json rank_bars_of(const answer::Answer& answer);

}  // namespace finegrain::report
