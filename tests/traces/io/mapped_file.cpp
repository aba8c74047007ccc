// SPDX-License-Identifier: MIT
#include "traces/io/mapped_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "traces/io/input_error.hpp"

using namespace finegrain;
namespace fs = std::filesystem;

TEST_CASE("mapped file: its bytes are the file's, and an empty file has none") {
  const fs::path path = fs::temp_directory_path() / ("finegrain_mapped_file_" + std::to_string(::getpid()));
  std::ofstream(path) << "abc";
  CHECK(MappedFile(path).bytes().size() == 3);
  CHECK(MappedFile(path).bytes()[2] == std::byte{'c'});
  std::ofstream(path, std::ios::trunc).close();
  CHECK(MappedFile(path).bytes().empty());
  fs::remove(path);
}

TEST_CASE("mapped file: a missing file and a folder are input errors") {
  CHECK_THROWS_WITH(MappedFile("/nonexistent/file"), Catch::Contains("/nonexistent/file: cannot be opened"));
  CHECK_THROWS_WITH(MappedFile(fs::temp_directory_path()), Catch::Contains("is not a regular file"));
}
