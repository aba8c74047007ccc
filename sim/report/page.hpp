// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "traces/io/atomic_file.hpp"

namespace finegrain::report {

/// web/page.html with its style and script, but without data. It is put together when finegrain is built.
std::string_view empty_page();

/// The page with its data: one HTML file that needs nothing else.
std::string page_of(const nlohmann::json& data);
FileKind page_kind();

}  // namespace finegrain::report
