// SPDX-License-Identifier: MIT
#include "traces/io/csv.hpp"

#include <charconv>

#include "traces/io/printable.hpp"

namespace finegrain {
namespace {

bool is_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

bool begins_as_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = printable(text);
  if (begins_as_formula(field) && !is_number(field)) field.insert(field.begin(), '\'');
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace finegrain
