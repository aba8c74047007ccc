// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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

/// All that the file or an override gives.
/// @throws InputError as text_property(), and where they say powers, as read_powers()
std::vector<TextProperty> text_properties(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
