// SPDX-License-Identifier: MIT
#include "sim/cli/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace finegrain::cli {

std::vector<std::string> shared_notes(std::span<const NoteOnPlatform> notes) {
  std::vector<std::string> texts;
  for (const NoteOnPlatform& note : notes) {
    if (std::ranges::find(texts, note.text) == texts.end()) texts.push_back(note.text);
  }
  for (std::string& text : texts) {
    std::vector<std::string> platforms;
    for (const NoteOnPlatform& note : notes)
      if (note.text == text && std::ranges::find(platforms, note.platform) == platforms.end())
        platforms.push_back(note.platform);
    text = fmt::format("{}: {}", fmt::join(platforms, ", "), text);
  }
  return texts;
}

std::string simulated_note(const replay::ReplayOptions& options) {
  return fmt::format("simulated: replay; {}", network_model(options));
}

std::string platform_note(const platform::Platform& platform) {
  return fmt::format("platform {}: memory {:.3g} GB/s a node, {:.3g} a core",
                     platform.file.filename().string(), platform.costs.memory_bandwidth_bytes_per_s / 1e9,
                     platform.costs.memory_bandwidth_per_core_bytes_per_s / 1e9);
}

}  // namespace finegrain::cli
