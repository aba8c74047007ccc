// SPDX-License-Identifier: MIT
#include "traces/file_slice.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tests/traces/recording.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::int64_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

std::string text_of(const FileSlice& file) {
  std::string text(file.size_bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

TEST_CASE("a thousand files are read with less than 300 descriptors, in any order, and none is left open") {
  const test::TraceFolder folder;
  const std::int64_t before = open_descriptors();
  {
    std::vector<FileSlice> files;
    for (int file = 0; file < 1000; ++file) {
      const std::filesystem::path path = folder.path() / std::to_string(file);
      test::write_file(path, "text " + std::to_string(file));
      files.emplace_back(path);
    }
    CHECK(open_descriptors() - before < 300);
    bool all_are_right = true;
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = 0; i < 1000; ++i) {
        const int file = i * 7 % 1000;
        all_are_right =
            all_are_right && text_of(files[static_cast<std::size_t>(file)]) == "text " + std::to_string(file);
      }
    }
    CHECK(all_are_right);
    CHECK(open_descriptors() - before < 300);
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("a file that is another one when it is opened again is refused, not misread") {
  const test::TraceFolder folder;
  const std::filesystem::path path = folder.path() / "first";
  test::write_file(path, "one");
  const FileSlice first(path);
  std::vector<FileSlice> others;
  for (int file = 0; file < 300; ++file) {
    test::write_file(folder.path() / std::to_string(file), "other");
    others.emplace_back(folder.path() / std::to_string(file));
  }
  test::write_file(folder.path() / "new", "two");
  std::filesystem::rename(folder.path() / "new", path);
  CHECK_THROWS_WITH(text_of(first),
                    Catch::Contains(path.string()) && Catch::Contains("was replaced by another"));
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(text_of(first), Catch::Contains("cannot be opened again (No such file"));
}

}  // namespace
}  // namespace finegrain
