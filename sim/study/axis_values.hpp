// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/decisions.hpp"
#include "sim/policy/variant.hpp"

namespace finegrain::study {

/// Values of an axis, at most.
inline constexpr std::size_t most_values = 10'000;

/// Numbers that a text stands for: "16", "8..64" (each of them), "8..64 step 8", "powers of two 16..1024".
/// @param place  file:line, for errors
/// @throws InputError if it is none of these, empty, or more than any study has
std::vector<std::int64_t> parse_numbers(std::string_view text, const std::string& place);

/// The variant of "policy", "policy transfer" or "policy transfer completion", e.g. "condensed put
/// overlapped". What is left out is the usual, as on the command line.
/// @throws InputError if the pattern has none such
policy::Variant parse_variant(const std::string& text, const pattern::PatternKind& kind,
                              const std::string& place);

/// The shortest text that parse_variant() reads as this variant.
std::string variant_name(const policy::Variant& variant, const pattern::PatternKind& kind);

/// "allreduce=ring bcast=chain": algorithms that are chosen by name; of an empty text none.
/// @throws InputError if there is no such collective or algorithm
collectives::Overrides parse_collectives(const std::string& text);

/// How a text changes a number: "x2" multiplies it, "/10" divides it; 0 where the text is no factor.
/// @throws InputError for a factor that is not a positive number
double parse_factor(std::string_view text, const std::string& place);

}  // namespace finegrain::study
