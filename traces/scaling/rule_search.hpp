// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

using Rules = std::vector<Rule>;
using Number = std::optional<std::int64_t>;

/// Finds the rules of one kind that all samples obey. @param samples  not empty
using Search = Rules (*)(std::span<const Sample> samples);

/// What a search finds for all samples, the lowest tier first. If it is nothing: a rule for each step, where
/// the innermost loop has as many steps everywhere; then rules of two kinds of places, which a predicate
/// tells apart; then of three.
Rules rules_of(std::span<const Sample> samples, Search search);

/// The loops that are around all samples, at most Where::most_loops.
int loops_around(std::span<const Sample> samples);

__extension__ using Wide = __int128;  // products of sizes and ranks

/// Nothing if it is no whole number.
Number whole(Wide dividend, Wide divisor);

/// To base 2; nothing if it is no whole number.
Number logarithm(std::int64_t number);

/// The exponent is limited to 0 to 40.
std::int64_t power_of_2(std::int64_t exponent);

}  // namespace finegrain::scaling
