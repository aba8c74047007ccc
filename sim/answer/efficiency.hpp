// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"

namespace finegrain::answer {

/// How much of a recorded program's simulated time its ranks work: the multiplicative model of the POP centre
/// (Rosas, Giménez, Labarta 2014: Scalability prediction for fundamental performance factors). Each factor is
/// 1 where nothing is lost.
struct Efficiency {
  double load_balance = 1;   ///< mean work of the ranks / the most work of a rank
  double serialisation = 1;  ///< the most work of a rank / the time where the network costs nothing
  double transfer = 1;       ///< that time / the time on the platform
  double work_s = 0;         ///< work of all ranks together
  double communication() const { return serialisation * transfer; }
  /// Mean work of the ranks / the time.
  double parallel() const { return load_balance * communication(); }
};

/// What a region, which is a function or a place, takes of the ranks' time on the platform. All of them
/// together are what the parallel efficiency lacks to 1.
struct RegionLoss {
  std::string region;
  double ideal = 0;    ///< what it takes where the network costs nothing: waiting for one another
  double network = 0;  ///< what it takes more on the platform; negative where others take its waits
  double all() const { return ideal + network; }
};

/// A run's efficiency, and where it is lost: by region, the greatest loss first.
struct LocatedEfficiency {
  Efficiency run;
  std::vector<RegionLoss> losses;
};

/// @param work_s  simulated work of each rank, shape [ranks] @param ideal_s  where the network costs nothing
/// @param total_s  on the platform
Efficiency efficiency_of(std::span<const double> work_s, double ideal_s, double total_s);

/// The efficiencies of recorded programs, each of which is simulated once more where the network costs
/// nothing: links without latency and of any bandwidth, no time to start a message, messages within a node
/// that arrive at once. Who waits for whom stays.
/// @param answers  with simulations of recorded programs @param processes  simulations at the same time
/// @param finished  called each time one ends, with their number
/// @returns shape [answers] @throws InputError as replay::replay_all() does
std::vector<LocatedEfficiency> efficiencies_of(std::span<const Answer> answers, int processes,
                                               const replay::ReplayOptions& options,
                                               const std::function<void(std::size_t)>& finished = {});

}  // namespace finegrain::answer
