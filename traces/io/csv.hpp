// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace finegrain {

/// A text as a field of a CSV: printable, in quotes where it holds a comma or quotes, and with a ' before
/// what a spreadsheet would take for a formula ("=1+1", "@x", "-x"), unless it is a number. Every CSV writes
/// its texts by this.
std::string csv_field(std::string_view text);

}  // namespace finegrain
