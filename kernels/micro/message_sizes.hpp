// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::micro {

/// Sizes of messages, as the user gives them to --messages.
/// @returns the sizes in B, ascending, each once
/// @throws InputError unless there are two or more, of 1 B to 1 GiB: a line is fitted to their times
std::vector<int> parse_message_sizes(const std::vector<std::string>& sizes);

}  // namespace finegrain::micro
