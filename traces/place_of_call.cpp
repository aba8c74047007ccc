// SPDX-License-Identifier: MIT
#include "traces/place_of_call.hpp"

#include <charconv>
#include <utility>

namespace finegrain {

std::string_view function_of(RegionName call) {
  return call.text().substr(0, call.text().find(' '));
}

std::string_view line_of(RegionName call) {
  const std::size_t blank = call.text().find(' ');
  return blank == std::string_view::npos ? call.text() : call.text().substr(blank + 1);
}

std::string_view file_of(RegionName call) {
  const std::string_view line = line_of(call);
  return line.substr(0, line.rfind(':'));
}

bool may_be_of_one_file(RegionName a, RegionName b) {
  std::string_view longer = file_of(a);
  std::string_view shorter = file_of(b);
  if (longer.size() < shorter.size()) std::swap(longer, shorter);
  if (!longer.ends_with(shorter)) return false;
  longer.remove_suffix(shorter.size());
  return longer.empty() || longer.ends_with('/');
}

unsigned line_number_of(RegionName call) {
  const std::string_view line = line_of(call);
  const std::size_t colon = line.rfind(':');
  unsigned number = 0;
  if (colon == std::string_view::npos) return 0;
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + colon + 1, end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 0;
}

bool is_moment_of_thread(RegionName call) {
  static const RegionName begins(thread_begins), ends(thread_ends);
  return call == begins || call == ends;
}

}  // namespace finegrain
