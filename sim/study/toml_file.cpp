// SPDX-License-Identifier: MIT
#include "sim/study/toml_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"

namespace finegrain::study {
namespace {

// The parser's time grows with the square of a line's length, and it calls itself for each bracket.
constexpr std::size_t most_bytes = 1 << 16;
constexpr std::size_t longest_line = 4096;
constexpr int deepest = 32;

/// Refuses texts for which the parser takes too long, and those in which it reads past the end: toml11 3.7
/// does so if a literal string has bytes that are not UTF-8.
void check_text(const std::string& text, const std::filesystem::path& file) {
  if (text.size() > most_bytes)
    throw InputError(file.string(), fmt::format("more than {} bytes (no study file)", most_bytes),
                     "Write numbers as ranges, or make several studies");
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::string_view first = rest.substr(0, rest.find('\n'));
    if (!is_utf8(first)) {
      throw InputError(fmt::format("{}:{}", file.string(), line), "malformed TOML (bytes that are not UTF-8)",
                       "Save it as UTF-8");
    }
    rest.remove_prefix(std::min(rest.size(), first.size() + 1));
  }
  int depth = 0;
  std::size_t lines = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == '\n' ? 0 : length + 1;
    lines += c == '\n' ? 1 : 0;
    depth += static_cast<int>(c == '[' || c == '{') - static_cast<int>(c == ']' || c == '}');
    if (length > longest_line)
      throw InputError(
          fmt::format("{}:{}", file.string(), lines + 1),
          fmt::format("more than {} characters (the longest line of a study file)", longest_line),
          "Write values on lines of their own");
    if (depth > deepest)
      throw InputError(fmt::format("{}:{}", file.string(), lines + 1),
                       fmt::format("more than {} open brackets (no study file)", deepest),
                       "See docs/studies.md");
  }
}

/// The file's text. If the file is too large, only enough of it to show that.
std::string text_of(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return {reinterpret_cast<const char*>(mapped.bytes().data()),
          std::min(mapped.bytes().size(), most_bytes + 1)};
}

}  // namespace

TomlFile::TomlFile(const std::filesystem::path& file) : TomlFile(file, text_of(file), {}) {}

TomlFile::TomlFile(const std::filesystem::path& file, const std::string& text,
                   std::vector<std::string> places)
    : file_(file), places_(std::move(places)) {
  check_text(text, file);
  std::istringstream in(text);
  try {
    root_ = toml::parse(in, file.string());
  } catch (const toml::exception& error) {
    // The message is "[error] toml::parse_x: the problem", followed by lines that show the place.
    std::string reason = error.what();
    reason = reason.substr(0, reason.find('\n'));
    if (const std::size_t colon = reason.find(": "); colon != std::string::npos) reason.erase(0, colon + 2);
    throw InputError(place_of_line(error.location().line()), fmt::format("malformed TOML ({})", reason),
                     "See docs/studies.md");
  } catch (const std::exception& error) {  // from the standard library: a number that no type can hold
    throw InputError(file.string(), fmt::format("malformed TOML ({})", error.what()), "See docs/studies.md");
  }
}

std::string TomlFile::place_of_line(std::size_t line) const {
  return line - 1 < places_.size() ? places_[line - 1] : fmt::format("{}:{}", file_.string(), line);
}

std::string TomlFile::place(const toml::value& value) const {
  return place_of_line(value.location().line());
}

void TomlFile::fail(const toml::value& value, const std::string& problem) const {
  throw InputError(place(value), fmt::format("{}", problem));
}

void TomlFile::check_keys(const toml::value& table, const std::vector<std::string_view>& known) const {
  const toml::value* first_unknown = nullptr;
  std::string name;
  for (const auto& [key, value] : table.as_table()) {  // iterates in no particular order
    if (std::ranges::find(known, key) != known.end()) continue;
    if (first_unknown != nullptr && first_unknown->location().line() <= value.location().line()) continue;
    first_unknown = &value;
    name = key;
  }
  if (first_unknown != nullptr)
    fail(*first_unknown,
         fmt::format("unknown '{}' (known are {}). Correct its name", name, fmt::join(known, ", ")));
}

const toml::value& TomlFile::require(const toml::value& table, const std::string& key) const {
  if (!table.contains(key)) {
    throw InputError(fmt::format("{}", &table != &root_  ? place(table)
                                       : places_.empty() ? file_.string()
                                                         : "the flags"),
                     fmt::format("no {} (a study needs it)", key),
                     "Add it; finegrain study example shows how");
  }
  return table.at(key);
}

std::vector<toml::value> TomlFile::list(const toml::value& table, const std::string& key) const {
  if (!table.contains(key)) return {};
  const toml::value& given = table.at(key);
  if (!given.is_array()) return {given};
  if (given.as_array().empty())
    fail(given, fmt::format("{} is empty (a grid with no points). Give a value", key));
  return given.as_array();
}

std::int64_t TomlFile::number(const toml::value& value) const {
  if (!value.is_integer() || value.as_integer() < 1)
    fail(value, "not a whole number of 1 or more. Write it like 16");
  return value.as_integer();
}

int TomlFile::small_number(const toml::value& value) const {
  const std::int64_t given = number(value);
  if (given > std::numeric_limits<int>::max())
    fail(value, fmt::format("{} is too large. Use a smaller number", given));
  return static_cast<int>(given);
}

double TomlFile::fraction(const toml::value& value) const {
  const double given = value.is_integer()    ? static_cast<double>(value.as_integer())
                       : value.is_floating() ? value.as_floating()
                                             : 0;
  if (!(given > 0 && given <= 1e6)) fail(value, "not a number from above 0 to 1e6. Write it like 0.8");
  return given;
}

std::string TomlFile::text(const toml::value& value) const {
  if (!value.is_string() || value.as_string().str.empty()) fail(value, "not a text. Write it in quotes");
  return value.as_string().str;
}

}  // namespace finegrain::study
