// SPDX-License-Identifier: MIT
#include "sim/report/page.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>

#include "sim/output/json_tables.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::report {

std::string text_of(const nlohmann::json& data) {
  return data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json data_of_kept(const std::string& text, const std::string& name) {
  const nlohmann::json tables = nlohmann::json::parse(text, nullptr, false);
  const auto refuse = [&](const char* problem) {
    throw InputError(name, problem, "Keep answers with finegrain compare ... --format json > answers.json");
  };
  if (!tables.is_array() || tables.empty() || !tables[0].is_object() || !tables[0].contains("version"))
    refuse("is not what a command of finegrain printed as JSON");
  const nlohmann::json& table = tables[0];
  if (table["version"] != output::json_version)
    refuse("is of another version of finegrain's JSON (docs/json.md)");
  if (!table.contains("page")) refuse("has no answers that a page can show");
  nlohmann::json data = table["page"];
  data["notes"] = table["notes"];
  const bool is_whole =
      std::ranges::all_of(std::array{"runs", "platforms", "answers"},
                          [&](const char* list) { return data.contains(list) && !data[list].empty(); });
  if (!is_whole) refuse("lacks runs, platforms or answers");
  return data;
}

std::string page_of(const nlohmann::json& data) {
  std::string text = text_of(data);
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
