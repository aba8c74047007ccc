// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"

namespace finegrain::answer {

/// How much of a time ranks work: the multiplicative model of the POP centre (Rosas, Giménez, Labarta 2014:
/// Scalability prediction for fundamental performance factors). Each factor is 1 where nothing is lost.
/// Without work only the products are known, which are 0; where no time passes, nothing is.
struct Efficiency {
  /// The three factors of parallel efficiency.
  struct Factors {
    double load_balance = 1;   ///< mean work of the ranks / the most work of a rank
    double serialisation = 1;  ///< the most work of a rank / the time where the network costs nothing
    double transfer = 1;       ///< that time / the time on the platform
  };
  std::optional<Factors> factors;
  bool takes_time = true;
  double work_s = 0;  ///< work of all ranks together

  std::optional<double> communication() const;  ///< serialisation x transfer
  std::optional<double> parallel() const;       ///< load balance x communication
};

/// The efficiency of a region, which is all calls of a function, or from a place, with the work before each
/// of them, since the rank's last call. It is that of the ranks that call there. They come and go at
/// different times, so each one's time is what it spends in the region, and the region's time is the longest.
struct RegionEfficiency {
  std::string region;
  int ranks = 0;     ///< that call there
  double share = 0;  ///< the part of all ranks' time that is spent there
  double lost = 0;   ///< of that, what is no work: those of all regions are what the run lacks to 1
  Efficiency efficiency;
};

/// A run's efficiency, and those of its regions: the greatest loss first.
struct LocatedEfficiency {
  Efficiency run;
  std::vector<RegionEfficiency> regions;
};

/// Regions that are no calls. The first has no efficiency, as nobody does anything there.
inline constexpr const char* ended_before_others = "ended before others";
inline constexpr const char* after_last_call = "after the last call";

/// @param work_s  simulated work of each rank, shape [ranks] @param ideal_s  where the network costs nothing
/// @param total_s  on the platform
Efficiency efficiency_of(std::span<const double> work_s, double ideal_s, double total_s);

/// @param simulated, ideal  a recorded program on a platform, and where the network costs nothing
LocatedEfficiency located_efficiency(const replay::ReplayResult& simulated,
                                     const replay::ReplayResult& ideal);

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
