// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <toml.hpp>
#include <vector>

namespace finegrain::study {

/// A TOML file, read with errors that name the file and line.
class TomlFile {
 public:
  /// @throws InputError if the file cannot be read, is not TOML, or is larger or deeper than a study file
  explicit TomlFile(const std::filesystem::path& file);
  /// Parses the text of a file that does not exist yet. @param places  each line's place, for errors
  TomlFile(const std::filesystem::path& file, const std::string& text, std::vector<std::string> places);

  const std::filesystem::path& path() const { return file_; }
  const toml::value& root() const { return root_; }
  /// Where a value is written: "file:line", or the place given for its line.
  std::string place(const toml::value& value) const;
  [[noreturn]] void fail(const toml::value& value, const std::string& problem) const;

  /// @throws InputError at the first key that is not known
  void check_keys(const toml::value& table, const std::vector<std::string_view>& known) const;
  /// @throws InputError if the table has no such key
  const toml::value& require(const toml::value& table, const std::string& key) const;
  /// The elements of a list, or a single value as a list of one; empty if the table has no such key.
  /// @throws InputError for an empty list
  std::vector<toml::value> list(const toml::value& table, const std::string& key) const;
  /// @throws InputError unless it is a whole number of 1 or more
  std::int64_t number(const toml::value& value) const;
  /// The same, as an int. @throws InputError if it is too large
  int small_number(const toml::value& value) const;
  /// A number above 0, which may be written without a point. @throws InputError for anything else
  double fraction(const toml::value& value) const;
  /// @throws InputError unless it is a text that is not empty
  std::string text(const toml::value& value) const;

 private:
  std::string place_of_line(std::size_t line) const;

  std::filesystem::path file_;
  std::vector<std::string> places_;
  toml::value root_;
};

}  // namespace finegrain::study
