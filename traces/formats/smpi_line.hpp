// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace finegrain::formats {

/// A line of a time-independent trace: "RANK ACTION ARGUMENT ...". Its arguments are counted from 0.
class SmpiLine {
 public:
  SmpiLine(std::string_view text, std::string_view file, std::size_t number);

  bool is_empty() const { return words_.empty(); }  ///< nothing, or a comment
  std::int32_t rank() const;
  /// In small letters: SMPI writes some with large ones.
  std::string action() const;

  std::size_t arguments() const { return words_.size() < 2 ? 0 : words_.size() - 2; }
  std::string_view text(std::size_t argument) const { return words_[argument + 2]; }
  /// A whole number. @throws InputError if it is missing, or none
  std::int32_t whole(std::size_t argument) const;
  /// A number that may have a fraction or an exponent. @throws InputError if it is missing, none, or negative
  double number(std::size_t argument) const;
  /// The same of things that are counted: it must not have a fraction.
  std::int64_t count(std::size_t argument) const;

  /// @throws InputError about this line
  [[noreturn]] void refuse(std::string problem, std::string remedy = {}) const;
  std::string where() const;

 private:
  std::string_view file_;
  std::size_t number_;
  std::vector<std::string_view> words_;
};

}  // namespace finegrain::formats
