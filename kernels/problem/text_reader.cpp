// SPDX-License-Identifier: MIT
#include "kernels/problem/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

const char* find(const char* begin, const char* end, char c) {
  const void* found = begin == end ? nullptr : std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// A word as it is shown in an error: short, and nothing that a terminal could mistake for a command.
std::string shown(std::string_view word) {
  std::string result(word.substr(0, 40));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

/// std::from_chars knows no plus sign, which Fortran programs write.
std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

/// A number whose exponent is written as Fortran does, with a D or, if it has three digits, without a letter;
/// as C writes it. Other words stay as they are.
std::string with_c_exponent(std::string_view word) {
  std::string result(word);
  const std::size_t letter = result.find_first_of("dD");
  if (letter != std::string::npos) {
    result[letter] = 'e';
    return result;
  }
  const std::size_t sign = result.find_first_of("+-", 1);
  if (sign != std::string::npos && result.find_first_not_of("0123456789.+-") == std::string::npos)
    result.insert(sign, 1, 'e');
  return result;
}

/// std::from_chars says of both a number that is too large and one that is too small that it does not fit.
bool is_too_small(const std::string& number) {
  return std::abs(std::strtod(number.c_str(), nullptr)) < 1;
}

}  // namespace

TextReader::TextReader(const std::filesystem::path& path, char comment, char separator)
    : file_(path),
      path_(path.string()),
      text_(file_.text()),
      comment_(comment),
      separator_(separator),
      position_(text_.data()),
      line_end_(position_),
      next_(position_) {}

bool TextReader::next_line() {
  const char* const end = text_.data() + text_.size();
  while (next_ != end) {
    position_ = next_;
    line_end_ = find(position_, end, '\n');
    next_ = line_end_ == end ? end : line_end_ + 1;
    ++line_;
    if (comment_ != 0) line_end_ = find(position_, line_end_, comment_);
    if (peek() != '\0') return true;
  }
  position_ = line_end_ = end;
  return false;
}

char TextReader::peek() {
  while (position_ != line_end_ && (is_blank(*position_) || *position_ == separator_))
    ++position_;
  return position_ == line_end_ ? '\0' : *position_;
}

std::string_view TextReader::word() {
  peek();
  const char* const begin = position_;
  while (position_ != line_end_ && !is_blank(*position_) && *position_ != separator_)
    ++position_;
  return {begin, static_cast<std::size_t>(position_ - begin)};
}

std::int64_t TextReader::integer(const char* what) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the {} is missing (the line ends here)", what));
  const std::string_view digits = without_plus(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range)
    fail(fmt::format("the {} '{}' is too large (64 bits are read)", what, shown(text)));
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(fmt::format("the {} '{}' is not a whole number", what, shown(text)));
  return number;
}

double TextReader::real(const char* what) {
  const std::string_view text = word();
  if (text.empty()) fail(fmt::format("the {} is missing (the line ends here)", what));
  std::string_view digits = without_plus(text);
  double number = 0;
  std::from_chars_result read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  std::string converted;
  if (read.ptr != digits.data() + digits.size()) {
    converted = with_c_exponent(digits);
    digits = converted;
    read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument)
    fail(fmt::format("the {} '{}' is not a number", what, shown(text)));
  if (read.ec == std::errc::result_out_of_range) {
    if (!is_too_small(std::string(digits)))
      fail(fmt::format("the {} '{}' does not fit a double", what, shown(text)));
    number = 0;
  }
  if (!std::isfinite(number)) fail(fmt::format("the {} is {} (only finite ones can be used)", what, number));
  return number;
}

void TextReader::skip_past(std::string_view text) {
  const auto begin = static_cast<std::size_t>(next_ - text_.data());
  const std::size_t found = text_.find(text, begin);
  if (found == std::string_view::npos)
    fail(fmt::format("no {} follows (truncated). Write the file again", text));
  const char* const end = text_.data() + found + text.size();
  line_ += std::count(next_, end, '\n') + 1;
  position_ = end;
  line_end_ = find(end, text_.data() + text_.size(), '\n');
  next_ = line_end_ == text_.data() + text_.size() ? line_end_ : line_end_ + 1;
}

const char* TextReader::take_bytes(std::uint64_t size_bytes) {
  const char* const begin = next_;
  position_ = line_end_ = begin;
  if (size_bytes > text_.size() - offset(begin)) {
    fail(fmt::format("the file ends before the {} bytes that belong here (truncated). Write it again",
                     size_bytes));
  }
  next_ += size_bytes;
  return begin;
}

void TextReader::check_count(std::int64_t count, std::uint64_t least_bytes_each, const char* what) const {
  const std::uint64_t room = (text_.size() - offset(position_) + 1) / least_bytes_each;
  if (count < 0 || static_cast<std::uint64_t>(count) > room) {
    fail(
        fmt::format("{} {} cannot be (the rest of the file has room for at most {}): a wrong count, or "
                    "truncated. Write the file again",
                    count, what, room));
  }
  if (count > std::numeric_limits<std::int32_t>::max()) {
    fail(fmt::format("{} {} are too many (at most {} can be indexed)", count, what,
                     std::numeric_limits<std::int32_t>::max()));
  }
}

void TextReader::fail(std::string_view problem) const {
  if (names_bytes_)
    throw InputError(fmt::format("{}: byte {}", path_, offset(position_)), std::string(problem));
  throw InputError(fmt::format("{}:{}", path_, std::max<std::int64_t>(line_, 1)), std::string(problem));
}

}  // namespace finegrain::problem
