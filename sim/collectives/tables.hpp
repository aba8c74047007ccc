// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace finegrain::collectives {

/// The files of tables/, as (name without ending, text).
std::span<const std::pair<std::string_view, std::string_view>> table_files();

}  // namespace finegrain::collectives
