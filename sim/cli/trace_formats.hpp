// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finegrain::cli {

enum class Direction : std::uint8_t { read, written };

/// For the help of a subcommand: the formats of other tools' traces that are read, or written, a line or more
/// each.
std::string list_of_formats(Direction direction);
std::vector<std::string> names_of_formats(Direction direction);
/// "otf2, goal or ti"
std::string names_in_words(const std::vector<std::string>& names);

}  // namespace finegrain::cli
