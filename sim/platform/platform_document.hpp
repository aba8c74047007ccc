// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

namespace finegrain::platform {

/// A platform file as XML, with the places of its elements for errors. SimGrid reads the same text
/// afterwards, so a file that would make SimGrid open other files is refused. Copies of this object share
/// what was read. So does each further object of the same file while one lives, unless the file has changed:
/// a run opens it once.
class PlatformDocument {
 public:
  /// @throws InputError with file and line: malformed XML, no SimGrid platform, a declaration in the DOCTYPE,
  /// an element or attribute that names another file
  explicit PlatformDocument(const std::filesystem::path& file);

  const std::string& text() const { return content_->text; }
  const pugi::xml_document& xml() const { return content_->xml; }
  /// The document of this object alone, for changes. The places of its elements stay those in the file.
  pugi::xml_document& xml_to_change();
  /// The document as a text, after changes.
  std::string saved() const;
  /// "file:line" of an element.
  std::string place_of(const pugi::xml_node& node) const { return content_->place_of(node.offset_debug()); }
  /// Cores of the host that has fewest; none if the file does not say.
  std::optional<int> cores() const;
  /// Whether a profile changes bandwidths, latencies, speeds or states during the run.
  bool changes_over_time() const;

 private:
  struct Content {
    Content(std::string file, std::string text);
    std::string place_of(std::ptrdiff_t byte) const;

    std::string file;
    std::string text;
    std::vector<std::ptrdiff_t> line_ends = {};  ///< bytes at which lines end, ascending
    pugi::xml_document xml = {};
  };
  static std::shared_ptr<Content> opened(const std::filesystem::path& file);

  std::shared_ptr<Content> content_;
};

}  // namespace finegrain::platform
