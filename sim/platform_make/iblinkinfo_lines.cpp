// SPDX-License-Identifier: MIT
#include "sim/platform_make/iblinkinfo_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "sim/platform_make/infiniband.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::platform_make {
namespace {

constexpr std::string_view arrow_begin = "==(";
constexpr std::string_view arrow_end = ")==>";
constexpr int largest_lid = 0xffff;
constexpr int largest_port = 1000;

[[noreturn]] void refuse_link_line(const std::string& where, const std::string& problem) {
  throw InputError(where, problem, "Give what iblinkinfo prints");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    words.push_back(text.substr(0, text.find_first_of(" \t\r")));
    text.remove_prefix(words.back().size());
  }
  return words;
}

int number_of(std::string_view text, int largest, const char* what, const std::string& where) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > largest)
    refuse_link_line(where, fmt::format("'{}' is not {}", printable(text), what));
  return number;
}

/// What stands in quotes, which is taken out of the text. A description may have quotes of its own.
std::string take_description(std::string_view& before, std::string_view& after, std::string_view text) {
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  before = text.substr(0, open);
  after = open == std::string_view::npos ? std::string_view() : text.substr(close + 1);
  if (open == std::string_view::npos || open == close) return {};
  return std::string(trimmed(text.substr(open + 1, close - open - 1)));
}

/// "0x506b4b0300e5d2a0", "2", "4[", "]": a GUID if there is one, a LID and a port with its name outside.
void read_address(std::string_view text, LinkEnd& end, const std::string& where) {
  text = text.substr(0, text.find('['));
  std::vector<std::string_view> words = words_in(text);
  if (!words.empty() && words.front().starts_with("0x")) {
    end.guid = words.front().substr(2);
    if (end.guid.empty() || end.guid.size() > 16 ||
        end.guid.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      refuse_link_line(where, fmt::format("'{}' is not a GUID", printable(words.front())));
    words.erase(words.begin());
  }
  if (words.size() != 2)
    refuse_link_line(where, fmt::format("'{}' is not a LID and a port", printable(trimmed(text))));
  end.lid = number_of(words[0], largest_lid, "a LID", where);
  end.port = number_of(words[1], largest_port, "a port", where);
}

/// "53.125 Gbps", "FDR10"
std::string rate_in_words(const std::vector<std::string_view>& words, const std::string& where) {
  if (std::ranges::find(words, "FDR10") != words.end() || std::ranges::find(words, "(FDR10)") != words.end())
    return "FDR10";
  double gbit_per_s = 0;
  if (words.size() == 2 && words[1] == "Gbps") {
    const auto [end, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), gbit_per_s);
    if (error != std::errc() || end != words[0].data() + words[0].size()) gbit_per_s = 0;
  }
  const std::string_view rate = rate_of_signals(gbit_per_s);
  if (rate.empty()) refuse_link_line(where, "there is no rate of a lane, such as '53.125 Gbps'");
  return std::string(rate);
}

/// " 4X  53.125 Gbps Active/  LinkUp"
void read_state(std::string_view text, LinkLine& line) {
  const std::size_t slash = text.rfind('/');
  std::vector<std::string_view> words = words_in(text.substr(0, slash));
  if (slash == std::string_view::npos || words.empty())
    refuse_link_line(line.where, "there is no state of the port, such as 'Active/ LinkUp'");
  line.state = fmt::format("{}/{}", words.back(), trimmed(text.substr(slash + 1)));
  words.pop_back();
  if (words.empty()) return;
  if (!words.front().ends_with('X'))
    refuse_link_line(line.where, fmt::format("'{}' is not a width, such as 4X", printable(words.front())));
  line.width = number_of(words.front().substr(0, words.front().size() - 1), 12, "a width", line.where);
  words.erase(words.begin());
  line.rate = rate_in_words(words, line.where);
}

/// "(Could be 12X Could be 10.0 Gbps)" as "12X, 10.0 Gbps".
std::string improvements_in(std::string_view text) {
  constexpr std::string_view could_be = "Could be ";
  std::string improvements;
  for (std::size_t at = text.find(could_be); at != std::string_view::npos;) {
    text.remove_prefix(at + could_be.size());
    at = text.find(could_be);
    std::string_view one = trimmed(text.substr(0, at));
    if (one.ends_with(')')) one.remove_suffix(1);
    improvements += (improvements.empty() ? "" : ", ") + printable(trimmed(one));
  }
  return improvements;
}

}  // namespace

bool is_link_line(std::string_view line) {
  return line.find(arrow_begin) != std::string_view::npos;
}

LinkLine parse_link_line(std::string_view text, const std::string& where) {
  LinkLine line;
  line.where = where;
  const std::size_t begin = text.find(arrow_begin);
  const std::size_t end = text.find(arrow_end, std::min(begin, text.size()));
  if (end == std::string_view::npos) refuse_link_line(where, "the line has no '==( ... )==>'");
  std::string_view before;
  std::string_view after;
  line.here.description = take_description(before, after, text.substr(0, begin));
  read_address(std::string(before) + std::string(after), line.here, where);
  read_state(text.substr(begin + arrow_begin.size(), end - begin - arrow_begin.size()), line);
  LinkEnd there;
  there.description = take_description(before, after, text.substr(end + arrow_end.size()));
  if (words_in(before.substr(0, before.find('['))).empty()) return line;
  read_address(before, there, where);
  line.there = there;
  if (line.width == 0) refuse_link_line(where, "there is an other end, and no width and rate");
  line.could_be = improvements_in(after);
  return line;
}

}  // namespace finegrain::platform_make
