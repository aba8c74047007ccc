// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

namespace finegrain::places {

/// Short names of source files: "halo.c", or as much of the path as tells files of one name apart:
/// "ocean/halo.c" and "ice/halo.c".
class FileNames {
 public:
  void add(const std::string& path);
  std::string name(const std::string& path) const;

 private:
  std::map<std::string, std::set<std::string>> paths_;  ///< by their last part, without "." and ".."
};

}  // namespace finegrain::places
