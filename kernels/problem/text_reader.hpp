// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/problem/input_text.hpp"

namespace finegrain::problem {

/// Reads a file of numbers line by line, from memory (see InputText), and names the file and the line where
/// something is wrong. Words are separated by blanks; a carriage return is a blank. Every reader below throws
/// InputError.
class TextReader {
 public:
  /// @param comment  begins a comment that goes to the end of its line; 0 if there are none
  /// @param separator  another character that counts as a blank
  TextReader(const std::filesystem::path& path, char comment, char separator = ' ');

  /// Goes to the next line that has a word. @returns false at the end of the file
  bool next_line();
  /// The next character of this line that is not blank, 0 at its end.
  char peek();
  /// The next word of this line, empty at its end.
  std::string_view word();
  /// The next word of this line as a whole number.
  /// @param what  for the error, e.g. "node number"
  std::int64_t integer(const char* what);
  /// The next word of this line as a finite number, as C or Fortran writes it: 1.5e-3, 1.5D-03, 1.5-103. One
  /// that is too small for a double is 0.
  double real(const char* what);
  /// Moves to just behind the next occurrence of the text.
  void skip_past(std::string_view text);

  /// The bytes that follow this line, for numbers that are not text; the next line starts behind them.
  const char* take_bytes(std::uint64_t size_bytes);
  /// From now on errors name the byte instead of the line: a file of bytes has no lines.
  void name_bytes_in_errors() { names_bytes_ = true; }

  /// Fails if the rest of the file cannot hold as many records as a header promises, or if they are too many
  /// to be indexed. It is called before memory is allocated.
  /// @param least_bytes_each  what a record takes at least, including the blank or line end between two
  void check_count(std::int64_t count, std::uint64_t least_bytes_each, const char* what) const;
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  std::uint64_t offset(const char* position) const {
    return static_cast<std::uint64_t>(position - text_.data());
  }

  InputText file_;
  std::string path_;
  std::string_view text_;
  char comment_;
  char separator_;
  bool names_bytes_ = false;
  std::int64_t line_ = 0;  ///< counted from 1
  const char* position_;   ///< in this line
  const char* line_end_;   ///< where the line's words end
  const char* next_;       ///< beginning of the next line
};

}  // namespace finegrain::problem
