// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

namespace finegrain::platform {

/// A platform file as XML, with the places of its elements for errors. SimGrid reads the same file
/// afterwards, so a file that would make SimGrid open other files is refused.
class PlatformDocument {
 public:
  /// @throws InputError with file and line: malformed XML, no SimGrid platform, a declaration in the DOCTYPE,
  /// an element or attribute that names another file
  explicit PlatformDocument(const std::filesystem::path& file);

  const pugi::xml_document& xml() const { return xml_; }
  pugi::xml_document& xml() { return xml_; }
  /// "file:line" of an element.
  std::string place_of(const pugi::xml_node& node) const { return place_of(node.offset_debug()); }
  /// Cores of the host that has fewest; none if the file does not say.
  std::optional<int> cores() const;
  /// Whether a profile changes bandwidths, latencies, speeds or states during the run.
  bool changes_over_time() const;

 private:
  std::string place_of(std::ptrdiff_t byte) const;

  std::string file_;
  std::vector<std::ptrdiff_t> line_ends_;  ///< bytes at which lines end, ascending
  pugi::xml_document xml_;
};

}  // namespace finegrain::platform
