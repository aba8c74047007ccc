// SPDX-License-Identifier: MIT
#include "traces/io/atomic_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "traces/io/input_error.hpp"

using namespace finegrain;
namespace fs = std::filesystem;

namespace {

struct TemporaryFolder {
  fs::path path = fs::temp_directory_path() / ("finegrain_atomic_file_" + std::to_string(::getpid()));
  TemporaryFolder() { fs::create_directories(path); }
  ~TemporaryFolder() { fs::remove_all(path); }
};

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("atomic file: nothing is seen under the name before commit, all of it after") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "result";
  AtomicFile file(path);
  file.write("one ");
  file.write("two");
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(read(path) == "one two");
}

TEST_CASE("atomic file: without commit the old file stays and no temporary is left") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "result";
  std::ofstream(path) << "old";
  { AtomicFile(path).write("new"); }
  CHECK(read(path) == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("atomic file: a folder or a device is not replaced") {
  CHECK_THROWS_WITH(AtomicFile("/dev/null"), Catch::Contains("/dev/null: is no regular file"));
  const TemporaryFolder folder;
  CHECK_THROWS_AS(AtomicFile(folder.path), InputError);
}

TEST_CASE("atomic file: a commit that fails leaves no temporary") {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.path / "result");
    fs::create_directories(folder.path / "result" / "not empty");
    CHECK_THROWS_WITH(file.commit(), Catch::Contains("cannot be put in place"));
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("atomic file: a folder that is not there is an input error that names the file") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(AtomicFile(folder.path / "missing" / "result"),
                    Catch::Contains("missing/result: cannot be created"));
}
