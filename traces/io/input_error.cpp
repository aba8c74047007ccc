// SPDX-License-Identifier: MIT
#include "traces/io/input_error.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "traces/io/printable.hpp"

namespace finegrain {
namespace {

/// A file's name has up to 4,096 characters; no other word of a message is worth more than some.
constexpr std::size_t longest_word = 300;
constexpr std::size_t longest_path = 4'200;
constexpr std::size_t kept_of_word = 60;
constexpr std::size_t longest_text = 12'000;

/// The text on its way into a message, which may echo megabytes of somebody's file, or the name of a member
/// of an archive: long words without their middle, and all on one line.
std::string shortened(std::string_view raw) {
  const std::string text = printable(raw);
  if (text.size() <= longest_word) return text;
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t space = std::min(text.find(' ', begin), text.size() - 1);
    const std::string_view word = std::string_view(text).substr(begin, space + 1 - begin);
    const bool is_path = word.find('/') != std::string_view::npos;
    if (word.size() <= (is_path ? longest_path : longest_word)) {
      result += word;
    } else {
      result += word.substr(0, kept_of_word);
      result += "... (" + std::to_string(word.size()) + " characters)";
      result += word.substr(word.size() - 2);
    }
    begin = space + 1;
  }
  if (result.size() > longest_text) result = result.substr(0, longest_text) + "...";
  return result;
}

std::string line_of(std::string_view where, std::string_view problem, std::string_view remedy) {
  std::string line = shortened(where);
  if (!where.empty()) line += ": ";
  line += shortened(problem);
  if (!remedy.empty()) line += ". " + shortened(remedy);
  return line;
}

}  // namespace

InputError::InputError(std::string_view where, std::string problem, std::string remedy)
    : std::runtime_error(line_of(where, problem, remedy)),
      where_(shortened(where)),
      problem_(shortened(problem)),
      remedy_(shortened(remedy)) {}

// Here, so that it is not compiled wherever one is thrown.
InputError::~InputError() = default;

}  // namespace finegrain
