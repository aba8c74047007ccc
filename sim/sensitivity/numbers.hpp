// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/sensitivity/lighter_work.hpp"

namespace finegrain::sensitivity {

/// A number of the platform that a cost stands for (PlatformCosts), a bandwidth or a latency of links, or
/// work.
enum class Part { property, link_bandwidth, link_latency, region, rank };

/// What could be better: a bandwidth higher; a time, or an amount of work, smaller.
struct Number {
  Part part;
  std::string name;  ///< of the property, the class of links, the region; a rank's number
  std::string now;   ///< its value, for people
};

/// All numbers that a replay of `work` on the platform takes, but those that are zero or not there; of the
/// ranks those `most_ranks` that work most.
/// @throws InputError with file and line where a link's bandwidth or latency cannot be read
std::vector<Number> numbers_of(const platform::Platform& platform, const WorkTotals& work, int most_ranks);

/// The property's value in these costs; null if no property of a replay has this name.
double* cost_of(platform::PlatformCosts& costs, const std::string& property);

/// "link up-*, latency", "work of rank 3"
std::string describe(const Number& number);

/// Whether better is more: of bandwidths.
bool is_bandwidth(const Number& number);

}  // namespace finegrain::sensitivity
