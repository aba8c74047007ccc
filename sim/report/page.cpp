// SPDX-License-Identifier: MIT
#include "sim/report/page.hpp"

#include <cassert>
#include <nlohmann/json.hpp>

namespace finegrain::report {

std::string page_of(const nlohmann::json& data) {
  // File names may hold bytes that are not UTF-8.
  std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // Inside a <script>, only "</" and "<!--" mean something to HTML, and to JSON "\u003c" is "<".
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");

  constexpr std::string_view place_of_data = "/* data */";
  std::string page(empty_page());
  const std::size_t place = page.find(place_of_data);
  assert(place != std::string::npos);
  page.replace(place, place_of_data.size(), text);
  return page;
}

FileKind page_kind() {
  return {"a report", {".html", ".htm"}, [](std::string_view content) {
            constexpr std::size_t longest_head_bytes = 1000;
            return content.starts_with("<!doctype html>") &&
                   content.substr(0, longest_head_bytes).find("<title>finegrain report</title>") !=
                       std::string_view::npos;
          }};
}

}  // namespace finegrain::report
