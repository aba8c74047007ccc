// SPDX-License-Identifier: MIT
#include "traces/places/file_names.hpp"

#include <algorithm>
#include <filesystem>

namespace finegrain::places {
namespace {

bool ends_with(const std::string& path, const std::string& end) {
  return path == end || path.ends_with("/" + end);
}

}  // namespace

void FileNames::add(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  paths_[normal.filename().string()].insert(normal.string());
}

std::string FileNames::name(const std::string& path) const {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  std::string name = normal.filename().string();
  const auto known = paths_.find(name);
  if (known == paths_.end()) return name;
  for (std::filesystem::path folder = normal.parent_path();; folder = folder.parent_path()) {
    const auto have_name = std::ranges::count_if(
        known->second, [&](const std::string& other) { return ends_with(other, name); });
    if (have_name <= 1 || folder.filename().empty()) return name;
    name = folder.filename().string() + "/" + name;
  }
}

}  // namespace finegrain::places
