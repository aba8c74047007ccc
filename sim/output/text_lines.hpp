// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace finegrain::output {

/// Columns that a string takes on a terminal: its UTF-8 characters.
std::size_t width_of(std::string_view text);

/// Lines of pieces, none wider than `width` unless one piece is.
/// @param indentation  that of all lines but the first. @param between  pieces of one line
std::vector<std::string> in_lines(const std::vector<std::string>& pieces, std::size_t width,
                                  std::string_view indentation, std::string_view between = " ");
/// The same of a text's words.
std::vector<std::string> in_lines(const std::string& text, std::size_t width, std::string_view indentation);

}  // namespace finegrain::output
