// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// A property of a platform that is no cost, as it is written.
struct TextProperty {
  std::string text;
  std::string where;  ///< "file:line: name" or "--set name", for errors
};

/// Those that finegrain reads: mpi, sockets, ...
const std::vector<std::string_view>& text_property_names();

/// What the file or an override ("name=value", which wins) says; none: nothing.
/// @pre text_property_names() has the name
/// @throws InputError if the file gives it two values
std::optional<TextProperty> text_property(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides, std::string_view name);

/// @throws InputError if it is no number from 1 to 1024
int parse_count(const TextProperty& property);

/// "idle=20W,8=89W" as pairs of names and values, in the order of the text.
/// @throws InputError if it is no list of them. @param value  what a value is, for the error, e.g. "power"
std::vector<std::pair<std::string_view, std::string_view>> named_values(const TextProperty& property,
                                                                        std::string_view value,
                                                                        std::string_view example);

/// All that the file or an override gives.
/// @throws InputError as text_property(), and where they say powers or hardware threads, as read_powers() and
/// read_hardware_threads()
std::vector<TextProperty> text_properties(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
