// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "traces/manifest.hpp"

namespace finegrain {

/// A format that counts flops does not say how long work takes. Its trace has the times of a core that does
/// so many flops a second, and says so; a replay runs the flops at the speed of each host.
inline constexpr double flops_of_a_second = 1e9;

/// What the manifest of such a trace says.
/// @returns an entry of Manifest::environment
std::pair<std::string, std::string> work_in_flops();

/// @returns flops for each second of the trace's work; none: the work is in seconds
std::optional<double> work_flops_per_s(const Manifest& manifest);

}  // namespace finegrain
