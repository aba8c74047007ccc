// SPDX-License-Identifier: MIT
#include "traces/io/atomic_file.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "traces/io/input_error.hpp"

using namespace finegrain;
namespace fs = std::filesystem;

namespace {

const FileKind note{
    "a note", {".note"}, [](std::string_view content) { return content.starts_with("note"); }};

/// What fsync was asked for in this process.
std::vector<fs::path> synced;

struct TemporaryFolder {
  fs::path path = fs::temp_directory_path() / ("finegrain_atomic_file_" + std::to_string(::getpid()));
  TemporaryFolder() { fs::create_directories(path); }
  ~TemporaryFolder() { fs::remove_all(path); }
};

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

/// Stands before the C library's.
extern "C" int fsync(int descriptor) {
  synced.push_back(fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

TEST_CASE("atomic file: nothing is seen under the name before commit, all of it after") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "result";
  AtomicFile file(path, note);
  file.write("one ");
  file.write("two");
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(read(path) == "one two");
}

TEST_CASE("atomic file: without commit the old file stays and no temporary is left") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "result";
  std::ofstream(path) << "note: old";
  { AtomicFile(path, note).write("note: new"); }
  CHECK(read(path) == "note: old");
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("temporary: a folder that is not put in place is removed with the folders in it") {
  const TemporaryFolder folder;
  {
    Temporary made(folder.path / "result");
    made.make_folder();
    fs::create_directories(made.path() / "traces" / "empty");
    std::ofstream(made.path() / "traces" / "0.evt") << "event";
  }
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("atomic file: a folder or a device is not replaced") {
  CHECK_THROWS_WITH(AtomicFile("/dev/null", note), Catch::Contains("/dev/null: is no regular file"));
  const TemporaryFolder folder;
  CHECK_THROWS_AS(AtomicFile(folder.path, note), InputError);
}

TEST_CASE("atomic file: a commit that fails leaves no temporary") {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.path / "result", note);
    fs::create_directories(folder.path / "result" / "not empty");
    CHECK_THROWS_WITH(file.commit(), Catch::Contains("is no regular file"));
  }
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("atomic file: a folder that is not there is an input error that names the file") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(AtomicFile(folder.path / "missing" / "result", note),
                    Catch::Contains("missing/result: cannot be created"));
}

TEST_CASE("a folder to be made: what is there is said, and so is a place that cannot be looked at") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(check_absent(folder.path / "new", "it is not mine"));
  CHECK_THROWS_WITH(check_absent(folder.path, "it is not mine"),
                    Catch::Contains(": exists (it is not mine)"));
  const fs::path loop = folder.path / "loop";
  fs::create_symlink(loop, loop);
  CHECK_THROWS_WITH(check_absent(loop / "new", "it is not mine"),
                    Catch::Contains("loop/new: cannot be created (Too many levels"));
}

TEST_CASE("atomic file: a file of the same kind is replaced, another only by force") {
  const TemporaryFolder folder;
  const fs::path mine = folder.path / "mine.note";
  std::ofstream(mine) << "note: old";
  AtomicFile(mine, note).commit();
  CHECK(read(mine).empty());
  AtomicFile(mine, note).commit();  // nothing of an empty file is lost

  const fs::path yours = folder.path / "yours.note";
  std::ofstream(yours) << "dear diary";
  CHECK_THROWS_WITH(AtomicFile(yours, note),
                    Catch::Contains("yours.note: exists, and is not a note that finegrain wrote"));
  CHECK(read(yours) == "dear diary");
  AtomicFile(yours, note, {{}, true}).commit();
  CHECK(read(yours).empty());
}

TEST_CASE("atomic file: a file that appears before commit is not replaced either") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "result.note";
  AtomicFile file(path, note);
  file.write("note");
  std::ofstream(path) << "dear diary";
  CHECK_THROWS_WITH(file.commit(), Catch::Contains("is not a note that finegrain wrote"));
  CHECK(read(path) == "dear diary");
}

TEST_CASE("atomic file: an input is not replaced, not even by force, nor through links") {
  const TemporaryFolder folder;
  const fs::path input = folder.path / "input.note";
  std::ofstream(input) << "note: input";
  fs::create_symlink(input, folder.path / "symbolic.note");
  fs::create_hard_link(input, folder.path / "hard.note");
  fs::create_directory_symlink(folder.path, folder.path / "folder");
  for (const char* name : {"input.note", "symbolic.note", "hard.note", "folder/input.note"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(AtomicFile(folder.path / name, note, {{input}, true}),
                      Catch::Contains("is also read by this command"));
  }
  CHECK_THROWS_WITH(AtomicFile(folder.path / "folder" / "new.note", note, {{folder.path}, true}),
                    Catch::Contains("is in a folder that this command reads"));
}

TEST_CASE("atomic file: an ending that says another format is refused, a number is no format") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(AtomicFile(folder.path / "x.pdf", note),
                    Catch::Contains("x.pdf: ends in .pdf, but would be a note. Name it x.note"));
  for (const char* name : {"x.note", "x.NOTE", "x", "x.2"})
    CHECK_NOTHROW(AtomicFile(folder.path / name, note));
}

TEST_CASE("atomic file: a symbolic link stays, and what it names is replaced") {
  const TemporaryFolder folder;
  const fs::path target = folder.path / "target";
  const fs::path link = folder.path / "link";
  std::ofstream(target) << "note: old";
  fs::create_symlink("target", link);
  AtomicFile file(link, note);
  file.write("note: new");
  file.commit();
  CHECK(fs::is_symlink(link));
  CHECK(read(target) == "note: new");
  fs::remove(target);
  CHECK_THROWS_WITH(AtomicFile(link, note), Catch::Contains("link: is a link to nothing"));
}

TEST_CASE("atomic file: two of one process have temporaries of different, long names allowed") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / std::string(255, 'x');
  AtomicFile first(path, note);
  AtomicFile second(path, note);
  CHECK(files_in(folder.path) == 2);
}

TEST_CASE("atomic file: what a signal handler removes are the temporaries, not what was committed") {
  const TemporaryFolder folder;
  AtomicFile unfinished(folder.path / "unfinished", note);
  AtomicFile finished(folder.path / "finished", note);
  finished.commit();
  Temporary made(folder.path / "new" / "folder");
  made.make_folder();
  AtomicFile inside(made.path() / "inside", note);
  inside.commit();
  Temporary::remove_all();
  CHECK(fs::is_empty(folder.path / "new"));
  fs::remove(folder.path / "new");
  CHECK(files_in(folder.path) == 1);
  CHECK(fs::exists(folder.path / "finished"));
}

TEST_CASE("atomic file: the file is synced before it has its name, and the folder after") {
  const TemporaryFolder folder;
  AtomicFile file(folder.path / "result", note);
  synced.clear();
  file.commit();
  REQUIRE(synced.size() == 2);
  CHECK(synced[0].filename().string().starts_with("result."));
  CHECK(synced[1] == fs::canonical(folder.path));
}
