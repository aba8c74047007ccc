// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/replay/noise.hpp"
#include "sim/replay/replay.hpp"
#include "sim/sensitivity/lighter_work.hpp"

namespace finegrain::sensitivity {

/// What a number is: a property of the platform (a member of PlatformCosts), a bandwidth or a latency of
/// links, the work in a region, of a rank or on nodes of one kind, or how long the noise of all cores takes
/// them away.
enum class Part { property, link_bandwidth, link_latency, region, rank, nodes, noise };

/// A number that could be better: a bandwidth could be higher, a time or an amount of work smaller.
struct Number {
  Part part;
  std::string name;  ///< that of the property, the class of links, the region, the nodes; a rank's number
  std::string now;   ///< its value, for people
  std::vector<int> ranks = {};  ///< whose work it is, in ascending order; empty: all
};

/// Nodes that are alike, where not all are, and the ranks on them.
struct RanksOfNodes {
  std::string nodes;       ///< "slow-0 to slow-3"
  std::vector<int> ranks;  ///< in ascending order
};

/// Those of a job. Empty where all its nodes are alike.
std::vector<RanksOfNodes> ranks_of_kinds(const replay::ReplayJob& job);

/// The numbers whose effect on a replay of `work` on the platform can be tried: properties (cost_of()),
/// links, regions and those of their parts that have a hundredth of all work, the `most_ranks` ranks with
/// most work, and kinds of nodes; and the noise. Numbers that are zero or missing are left out.
/// @param noise  none: there is none
/// @throws InputError with file and line where a link's bandwidth or latency cannot be read
std::vector<Number> numbers_of(const platform::Platform& platform, const WorkTotals& work, int most_ranks,
                               const replay::Noise* noise = nullptr,
                               const std::vector<RanksOfNodes>& kinds = {});

/// The property's value in these costs; null if it is not given, or none that a sensitivity is computed for.
double* cost_of(platform::PlatformCosts& costs, const std::string& property);

/// Whether the number is listed only if it changes a run's time: few programs do what such a property costs.
bool is_seldom_felt(const Number& number);

/// The number's name for people: "link up-*, latency", "work of rank 3".
std::string describe(const Number& number);

/// Whether the number is a bandwidth, so that a larger one is better.
bool is_bandwidth(const Number& number);

}  // namespace finegrain::sensitivity
