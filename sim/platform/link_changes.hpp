// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pugi {
class xml_node;
}

namespace finegrain::platform {

class PlatformDocument;

/// A new number of a link, or a factor on the one that it has.
struct LinkNumber {
  double value = 0;
  bool is_factor = false;

  double applied_to(double before) const { return is_factor ? value * before : value; }
};

/// What is different about one link of a platform, e.g. because it is broken in part:
/// "link:leaf3 bandwidth=x0.25,latency=2us". A platform file holds it as a property link_change.
struct LinkChange {
  std::string link;  ///< as SimGrid names it; of SPLITDUPLEX also without _UP or _DOWN, for both directions
  std::optional<LinkNumber> bandwidth_bytes_per_s;
  std::optional<LinkNumber> latency_s;
  std::string where;  ///< for errors
};

/// How the texts of changes begin.
inline constexpr std::string_view link_change_mark = "link:";

/// Whether the change is of a <link> of this id, or of one of its directions.
bool is_of_link(const LinkChange& change, std::string_view id);

/// As parse_link_change() reads it.
std::string text_of(const LinkChange& change);

/// @throws InputError if the text is not a change of a link
LinkChange parse_link_change(std::string_view text, const std::string& where);

/// Where a document has changes: the elements whose value is a change's text.
std::vector<pugi::xml_node> nodes_of_link_changes(const PlatformDocument& document);

/// Those that the file holds. @throws InputError as above
std::vector<LinkChange> link_changes(const PlatformDocument& document);

/// The text of the document with these changes, as they were written, besides its own.
std::string with_link_changes(PlatformDocument document, const std::vector<std::string>& texts);

}  // namespace finegrain::platform
