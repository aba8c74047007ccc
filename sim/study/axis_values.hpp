// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/decisions.hpp"
#include "sim/platform/factors.hpp"
#include "sim/policy/variant.hpp"

namespace finegrain::study {

/// The most values that an axis may have.
inline constexpr std::size_t most_values = 10'000;

/// The value of the axis collective with which the platform's MPI library chooses the algorithms.
inline constexpr const char* library_choice = "default";

/// The numbers that a text stands for: "16", "8..64" (every number from 8 to 64), "8..64 step 8",
/// "powers of two 16..1024".
/// @param place  file:line, for errors
/// @throws InputError if the text is none of these, or stands for no numbers or for more than most_values
std::vector<std::int64_t> parse_numbers(std::string_view text, const std::string& place);

/// The variant of a policy's name, followed by a transfer, a completion, or both in this order, e.g.
/// "condensed put overlapped". What is left out has its default, as on the command line.
/// @throws InputError if the pattern has no such variant
policy::Variant parse_variant(const std::string& text, const pattern::PatternKind& kind,
                              const std::string& place);

/// The shortest text that parse_variant() reads as this variant.
std::string variant_name(const policy::Variant& variant, const pattern::PatternKind& kind);

/// Algorithms that are chosen by name, from a text like "allreduce=ring bcast=chain". It may be empty.
/// @throws InputError if there is no such collective or algorithm
collectives::Overrides parse_collectives(const std::string& text);

using platform::parse_factor;

}  // namespace finegrain::study
