// SPDX-License-Identifier: MIT
#include "traces/io/new_folder.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

namespace fs = std::filesystem;

/// An empty folder, removed at the end.
class EmptyFolder {
 public:
  EmptyFolder()
      : path_(fs::temp_directory_path() / ("new_folder_" + std::to_string(std::random_device()()))) {
    fs::create_directory(path_);
  }
  ~EmptyFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

void write_text(NewFolder& folder, const std::string& name, const std::string& text) {
  folder.write(name, std::as_bytes(std::span(text)));
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a new folder appears with all its files, be they few or many, and nothing is left beside it") {
  const EmptyFolder parent;
  for (const int files : {2, 100}) {
    const fs::path path = parent.path() / std::to_string(files) / "";
    {
      NewFolder folder(path);
      for (int file = 0; file < files; ++file)
        write_text(folder, "file" + std::to_string(file), "text " + std::to_string(file));
      CHECK_FALSE(fs::exists(path));
      folder.commit();
    }
    CHECK(std::distance(fs::directory_iterator(path), {}) == files);
    CHECK(text_of(path / "file1") == "text 1");
  }
  CHECK(parent.entries() == 2);
}

TEST_CASE("a new folder that is not committed leaves nothing behind") {
  const EmptyFolder parent;
  {
    NewFolder folder(parent.path() / "new");
    write_text(folder, "file", "text");
    CHECK(parent.entries() == 1);
  }
  CHECK(parent.entries() == 0);
}

TEST_CASE(
    "a file that cannot be written is named by the place where it would be, and no signal ends the program") {
  const EmptyFolder parent;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  {
    NewFolder folder(parent.path() / "new");
    const rlimit least{1024, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &least);
    CHECK_THROWS_WITH(write_text(folder, "large", std::string(4096, 'x')),
                      Catch::Contains((parent.path() / "new" / "large").string()) &&
                          Catch::Contains("cannot be written (File too large)"));
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(parent.entries() == 0);
}

TEST_CASE("a file that is there already is not written over") {
  const EmptyFolder parent;
  NewFolder folder(parent.path() / "new");
  write_text(folder, "file", "text");
  CHECK_THROWS_AS(write_text(folder, "file", "other"), InputError);
}

}  // namespace
}  // namespace finegrain
