// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace finegrain::replay {

/// A link of a platform, as SimGrid sees it.
struct LinkSummary {
  std::string name;
  double bandwidth_bytes_per_s = 0;
  double latency_s = 0;
  /// The nodes whose messages cross it, and the nodes that these go to, in the order of replays. Empty: no
  /// route of two nodes crosses it, or the platform has more nodes than most_nodes_of_ends.
  std::vector<std::string> from = {};
  std::vector<std::string> to = {};
};

/// Routes between all nodes of a larger platform are not looked for.
inline constexpr std::size_t most_nodes_of_ends = 512;

/// All links in natural order of their names. Loads the platform, in a process of its own.
/// @throws InputError if SimGrid refuses it
std::vector<LinkSummary> summarize_links(const std::filesystem::path& file);

}  // namespace finegrain::replay
