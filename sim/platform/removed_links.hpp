// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/platform_document.hpp"

namespace finegrain::platform {

/// "leaf3" of "link:leaf3". @throws InputError if the text does not begin so
std::string removed_link(std::string_view text);

/// The text of the document without these links, as if their cables were broken. Where a zone looks for the
/// shortest ways (Floyd, Dijkstra), messages take others; where the file gives each way, or a cluster's rule
/// does, there are no others.
/// @param links  "link:leaf3", ... @throws InputError if one is not a <link>, or a way is given over it
std::string without_links(PlatformDocument document, const std::vector<std::string>& links);

}  // namespace finegrain::platform
