// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sim/platform/platform_document.hpp"

namespace finegrain::platform {

/// Checks what SimGrid 3.32 reads without naming file and line where it is wrong (numbers in `core`,
/// `radical` and `topo_parameters`), and what would take all memory or minutes to load: too many hosts or
/// links, or too many elements in a zone with a table of all routes.
/// @throws InputError with file and line
void check_numbers_and_sizes(const PlatformDocument& document);

/// How many hosts SimGrid makes of the platform. @throws InputError as check_numbers_and_sizes() does
std::int64_t count_hosts(const PlatformDocument& document);

}  // namespace finegrain::platform
