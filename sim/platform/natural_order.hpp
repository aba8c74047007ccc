// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace finegrain::platform {

/// Whether a comes before b when the numbers in them are compared as numbers: node-2 before node-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace finegrain::platform
