// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace finegrain::formats {

/// The text of an export: handed on a piece at a time, and refused if it becomes too long.
class ExportText {
 public:
  using Write = std::function<void(std::string_view)>;

  /// @param what  "the actions": what takes more than most_bytes
  ExportText(std::uint64_t most_bytes, std::string what)
      : most_bytes_(static_cast<double>(most_bytes)), what_(std::move(what)) {}

  /// Where what follows goes. @pre nothing is left
  void begin(Write write) { write_ = std::move(write); }
  /// @throws InputError if more than most_bytes were added so far
  void add(std::string_view text);
  /// Before a text is added that many times. @throws InputError as if it had been
  void expect(double count, std::string_view text) const;
  /// Hands on what is left.
  void flush();

 private:
  [[noreturn]] void refuse() const;

  double most_bytes_;
  std::string what_;
  Write write_;
  double bytes_ = 0;
  std::string text_;
};

}  // namespace finegrain::formats
