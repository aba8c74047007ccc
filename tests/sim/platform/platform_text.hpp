// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::test {

/// A file that lives as long as the test.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("finegrain-platform-{}.xml", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const std::string memory_props =
    "<prop id='memory_bandwidth' value='78.6432GBps'/>\n<prop id='memory_bandwidth_per_core' "
    "value='10GBps'/>\n";

inline std::string zone(const std::string& contents) {
  return "<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z' routing='Full'>\n" + contents +
         "</zone>\n</platform>\n";
}

inline platform::PlatformCosts costs_of(const std::string& text,
                                        const std::vector<std::string>& overrides = {}) {
  const TextFile file(text);
  return platform::read_platform(file.path(), overrides).costs;
}

inline void check_refused(const std::string& text, const std::string& problem,
                          const std::vector<std::string>& overrides = {}) {
  CHECK_THROWS_AS(costs_of(text, overrides), InputError);
  CHECK_THROWS_WITH(costs_of(text, overrides), Catch::Contains(problem));
}

}  // namespace finegrain::test
