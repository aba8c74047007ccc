// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace finegrain::platform {

/// What may be set only by a factor, because the links of a platform differ.
inline constexpr std::array<std::string_view, 2> numbers_of_links = {"link_bandwidth", "link_latency"};

/// The factor by which a text changes a number: 2 for "x2", 0.1 for "/10", and 0 if the text is no factor.
/// @throws InputError for a factor that is not a positive number
double parse_factor(std::string_view text, const std::string& place);

}  // namespace finegrain::platform
