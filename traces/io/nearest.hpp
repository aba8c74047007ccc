// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace finegrain {

/// The known name that a misspelt one is nearest to; empty if it is near none.
std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace finegrain
