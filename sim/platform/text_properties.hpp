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

/// A property of a platform that is not a cost, as it is written.
struct TextProperty {
  std::string text;
  std::string where;  ///< "file:line: name" or "--set name", for errors
};

/// The names of those that finegrain reads: mpi, sockets, ...
const std::vector<std::string_view>& text_property_names();

/// A property's text from the file, or from an override ("name=value"), which wins; none if neither has it.
/// @pre text_property_names() has the name
/// @throws InputError if the file gives it two values
std::optional<TextProperty> text_property(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides, std::string_view name);

/// The property as a number. @throws InputError if it is not a number from 1 to the most
int parse_count(const TextProperty& property, int most = 1024);

/// "idle=20W,8=89W" as pairs of names and values, in the order of the text.
/// @param value  what a value is, for the error, e.g. "power"
/// @throws InputError if the text is not a list of such pairs
std::vector<std::pair<std::string_view, std::string_view>> named_values(const TextProperty& property,
                                                                        std::string_view value,
                                                                        std::string_view example);

/// All of these properties that the file or an override gives.
/// @throws InputError as text_property() does, and, for powers and hardware threads, as read_powers() and
/// read_hardware_threads() do
std::vector<TextProperty> text_properties(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
