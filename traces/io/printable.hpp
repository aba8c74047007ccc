// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace finegrain {

/// The text on one line, for a terminal. What could move its cursor, end the line or turn the direction of
/// writing, and bytes that are not UTF-8, become escapes: "\n", "\x1b". Names of files may hold any of them.
std::string printable(std::string_view text);

/// Whether the text holds no other bytes than UTF-8's.
bool is_utf8(std::string_view text);

/// One word for bash, whatever the text holds; on one line.
std::string shell_quoted(std::string_view text);

/// Prints a line on stderr, made printable. If stderr is closed or full, nothing happens.
void complain(std::string_view line) noexcept;

}  // namespace finegrain
