// SPDX-License-Identifier: MIT
#include "traces/io/host_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr std::size_t most_names = 500'000;

struct HostlistText {
  std::string_view text;
  const std::string& where;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(where, fmt::format("'{}' {}", text, problem), "Write it like node[001-018,020]");
  }
};

std::uint64_t number_of_range(const HostlistText& list, std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    list.refuse(fmt::format("has '{}', which is not a number", digits));
  return number;
}

/// "001-018,020" as 001, 002, ... 018, 020: with as many digits as the first number of a range.
std::vector<std::string> numbers_of_ranges(const HostlistText& list, std::string_view ranges) {
  std::vector<std::string> numbers;
  while (true) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    const std::string_view first_digits = range.substr(0, range.find('-'));
    const std::string_view last_digits =
        first_digits.size() == range.size() ? first_digits : range.substr(first_digits.size() + 1);
    const std::uint64_t first = number_of_range(list, first_digits);
    const std::uint64_t last = number_of_range(list, last_digits);
    if (first > last) list.refuse(fmt::format("has the range '{}', which goes down", range));
    if (last - first >= most_names) list.refuse(fmt::format("names more than {}", most_names));
    for (std::uint64_t number = first; number <= last; ++number)
      numbers.push_back(fmt::format("{:0{}}", number, first_digits.size()));
    if (range.size() == ranges.size()) return numbers;
    ranges.remove_prefix(range.size() + 1);
  }
}

/// One entry of a list, such as "rack[1-2]node[01-16]": every combination of its ranges.
std::vector<std::string> names_in_entry(const HostlistText& list, std::string_view entry) {
  std::vector<std::string> names{""};
  while (!entry.empty()) {
    const std::size_t open = std::min(entry.find('['), entry.size());
    std::vector<std::string> ends{""};
    std::size_t used = open;
    if (open < entry.size()) {
      const std::size_t close = entry.find(']', open);
      if (close == std::string_view::npos) list.refuse("has a '[' without its ']'");
      ends = numbers_of_ranges(list, entry.substr(open + 1, close - open - 1));
      used = close + 1;
    }
    if (names.size() * ends.size() > most_names) list.refuse(fmt::format("names more than {}", most_names));
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (const std::string& end : ends)
        longer.push_back(fmt::format("{}{}{}", name, entry.substr(0, open), end));
    names = std::move(longer);
    entry.remove_prefix(used);
  }
  return names;
}

}  // namespace

std::vector<std::string> names_in_hostlist(std::string_view text, const std::string& where) {
  const HostlistText list{text, where};
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '[') ++depth;
    if (at < text.size() && text[at] == ']') --depth;
    if (depth < 0 || depth > 1) list.refuse("has brackets that do not fit");
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    const std::string_view entry = text.substr(begin, at - begin);
    if (entry.empty()) list.refuse("has an empty name");
    for (std::string& name : names_in_entry(list, entry))
      names.push_back(std::move(name));
    if (names.size() > most_names) list.refuse(fmt::format("names more than {}", most_names));
    begin = at + 1;
  }
  return names;
}

}  // namespace finegrain
