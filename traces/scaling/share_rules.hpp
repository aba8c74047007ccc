// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/scaling/rule_search.hpp"
#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// Parts of a constant number of elements, which is spread over the ranks of a group, or handed out in a
/// loop.
/// @param samples  not empty
Rules share_rules(std::span<const Sample> samples);

/// Bytes that an element may have: what divides all samples, the largest first.
std::vector<std::int64_t> sizes_of_elements(std::span<const Sample> samples);

}  // namespace finegrain::scaling
