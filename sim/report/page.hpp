// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "traces/io/atomic_file.hpp"

namespace finegrain::report {

/// web/page.html with its style and script, but without data. It is put together when finegrain is built.
std::string_view empty_page();

/// Data of a page as JSON. Bytes of file names that are not UTF-8 are replaced.
std::string text_of(const nlohmann::json& data);

/// Data of a page of answers that compare printed as JSON (docs/json.md). @param name  the file's, for
/// errors
/// @throws InputError if the text is not that, or is another version's
nlohmann::json data_of_kept(const std::string& text, const std::string& name);

/// The page with its data: one HTML file that needs nothing else.
std::string page_of(const nlohmann::json& data);
FileKind page_kind();

}  // namespace finegrain::report
