// SPDX-License-Identifier: MIT
#include "traces/formats/smpi_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "traces/io/input_error.hpp"

namespace finegrain::formats {
namespace {

constexpr double most_exact = 9.0e15;  ///< whole numbers up to there are exact

template <typename Number>
bool parse(std::string_view word, Number& number) {
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

SmpiLine::SmpiLine(std::string_view text, std::string_view file, std::size_t number)
    : file_(file), number_(number) {
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words_.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  if (!words_.empty() && words_.front().starts_with('#')) words_.clear();
  // "0 IO - write_all 1e+06": the name of an action on files has blanks.
  constexpr std::string_view of_files = "IO - ";
  if (words_.size() > 3 && words_[3].data() == words_[1].data() + of_files.size() &&
      std::string_view(words_[1].data(), of_files.size()) == of_files) {
    words_[1] = {words_[1].data(), of_files.size() + words_[3].size()};
    words_.erase(words_.begin() + 2, words_.begin() + 4);
  }
}

std::string SmpiLine::where() const {
  return fmt::format("{}:{}", file_, number_);
}

void SmpiLine::refuse(std::string problem, std::string remedy) const {
  throw InputError(where(), std::move(problem), std::move(remedy));
}

std::int32_t SmpiLine::rank() const {
  std::int32_t rank = 0;
  if (words_.size() < 2 || !parse(words_.front(), rank) || rank < 0) {
    refuse("is no action (a rank, its name and arguments are needed, e.g. 0 send 1 0 100 6)",
           "Give what smpirun -trace-ti writes");
  }
  return rank;
}

std::string SmpiLine::action() const {
  std::string name(words_[1]);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

std::int32_t SmpiLine::whole(std::size_t argument) const {
  if (argument >= arguments()) refuse(fmt::format("{} has too few arguments", words_[1]));
  std::int32_t number = 0;
  if (!parse(text(argument), number))
    refuse(fmt::format("'{}' is no whole number of 32 bits", text(argument)));
  return number;
}

double SmpiLine::number(std::size_t argument) const {
  if (argument >= arguments()) refuse(fmt::format("{} has too few arguments", words_[1]));
  double number = 0;
  if (!parse(text(argument), number) || !(number >= 0) || !std::isfinite(number))
    refuse(fmt::format("'{}' is no number of 0 or more", text(argument)));
  return number;
}

std::int64_t SmpiLine::count(std::size_t argument) const {
  const double exact = number(argument);
  if (exact > most_exact || exact != std::floor(exact))
    refuse(fmt::format("'{}' is no number of elements", text(argument)));
  return static_cast<std::int64_t>(exact);
}

}  // namespace finegrain::formats
