// SPDX-License-Identifier: MIT
#include "traces/packed_trace.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/traces/recording.hpp"
#include "traces/diff.hpp"

namespace finegrain {
namespace {

using namespace test;

/// A trace in folder/trace, packed into folder/trace.tar.
class PackedTrace {
 public:
  explicit PackedTrace(int rank_count = 3, int iterations = 5) {
    std::mt19937_64 random(2);
    for (int rank = 0; rank < rank_count; ++rank)
      ranks.push_back(random_recording(random, rank_count, iterations));
    record_trace(path("trace"), ranks);
    write_file(path("trace") / "notes.txt", "not part of the trace");
    pack_trace(path("trace"), path("trace.tar"));
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  std::vector<RankRecording> ranks;

 private:
  TraceFolder folder_;
};

TEST_CASE("a packed trace reads as its folder does") {
  const PackedTrace packed;
  const Trace trace(packed.path("trace.tar"));
  for (int rank = 0; rank < 3; ++rank)
    CHECK(read_all(trace, rank) == packed.ranks[static_cast<std::size_t>(rank)]);
  CHECK(diff(RecordedPrograms(Trace(packed.path("trace"))), RecordedPrograms(trace)).equal());
}

TEST_CASE("packing twice gives the same bytes") {
  const PackedTrace packed;
  pack_trace(packed.path("trace"), packed.path("again.tar"));
  CHECK(read_file(packed.path("trace.tar")) == read_file(packed.path("again.tar")));
}

TEST_CASE("a packed trace is a tar that tar unpacks to the same files, and packs so that it reads again") {
  const PackedTrace packed;
  std::filesystem::create_directory(packed.path("out"));
  const auto run = [](const std::string& command) { return std::system(command.c_str()); };
  const std::string out = packed.path("out").string();
  REQUIRE(run("tar -C '" + out + "' -xf '" + packed.path("trace.tar").string() + "'") == 0);
  for (const char* name : {"manifest.json", "rank_00000.fgt", "rank_00001.fgt", "rank_00002.fgt"})
    CHECK(read_file(packed.path("out") / name) == read_file(packed.path("trace") / name));
  CHECK_FALSE(std::filesystem::exists(packed.path("out") / "notes.txt"));
  for (const char* format : {"gnu", "pax", "ustar"}) {
    REQUIRE(run("cd '" + out + "' && tar --format=" + format + " -cf ../other.tar *") == 0);
    CHECK(read_all(Trace(packed.path("other.tar")), 2) == packed.ranks[2]);
  }
}

TEST_CASE("a tar with entries outside a trace is refused") {
  const PackedTrace packed;
  const std::string in_folder = "cd '" + packed.path("trace").string() + "' && ";
  const auto error_of_tar = [&](const std::string& tar_arguments) -> std::string {
    REQUIRE(std::system((in_folder + "tar -cf ../bad.tar " + tar_arguments).c_str()) == 0);
    try {
      Trace trace(packed.path("bad.tar"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(error_of_tar("manifest.json ./rank_00000.fgt"),
             Catch::Contains("'./rank_00000.fgt' is no file of a trace"));
  CHECK_THAT(error_of_tar("-P manifest.json ../trace/rank_00000.fgt"),
             Catch::Contains("is no file of a trace"));
  CHECK_THAT(error_of_tar("manifest.json notes.txt"), Catch::Contains("'notes.txt' is no file of a trace"));
  CHECK_THAT(error_of_tar("rank_00000.fgt"), Catch::Contains("has no manifest.json"));
  CHECK_THAT(error_of_tar("manifest.json manifest.json --hard-dereference"),
             Catch::Contains("'manifest.json' is there twice"));
  std::filesystem::create_symlink("/etc/passwd", packed.path("trace") / "rank_00007.fgt");
  CHECK_THAT(error_of_tar("manifest.json rank_00007.fgt"),
             Catch::Contains("'rank_00007.fgt' is no file of a trace"));
}

/// Opens the file and reads all of it. @returns the error, empty if none
std::string error_of_file(const std::filesystem::path& file, RankRecording& read) {
  try {
    return error_of(Trace(file), 0, read);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST_CASE("a packed trace with any byte changed is an error that names the byte, or reads as it was") {
  const PackedTrace packed(1, 1);
  const std::filesystem::path file = packed.path("changed.tar");
  const std::string bytes = read_file(packed.path("trace.tar"));
  // Behind the last entry there is nothing but zeros.
  for (std::size_t at = 0; at <= bytes.find_last_not_of('\0') + 1; ++at) {
    for (const char change : {'\x01', '\x10', '\x80', '\xff'}) {
      CAPTURE(at, change);
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      write_file(file, changed);
      RankRecording read;
      const std::string error = error_of_file(file, read);
      if (error.empty()) {
        REQUIRE(read == packed.ranks[0]);
      } else {
        REQUIRE_THAT(error, Catch::StartsWith(file.string()) && Catch::Contains(": byte "));
      }
    }
  }
}

TEST_CASE(
    "a packed trace cut anywhere is an error that names the byte or what is missing, unless only its padding "
    "is gone") {
  const PackedTrace packed(1, 1);
  const std::filesystem::path file = packed.path("cut.tar");
  const std::string bytes = read_file(packed.path("trace.tar"));
  write_file(file, bytes);
  for (std::size_t size = bytes.size(); size-- > 0;) {
    CAPTURE(size);
    std::filesystem::resize_file(file, size);
    RankRecording read;
    const std::string error = error_of_file(file, read);
    if (error.empty()) {
      REQUIRE(size > bytes.find_last_not_of('\0'));
      REQUIRE(read == packed.ranks[0]);
    } else {
      REQUIRE_THAT(error,
                   Catch::StartsWith(file.string()) &&
                       (Catch::Contains(": byte ") || Catch::Contains("(rank_00000.fgt): is missing")));
    }
  }
}

TEST_CASE("packing what is no trace leaves no file") {
  const PackedTrace packed;
  std::filesystem::create_directory(packed.path("empty"));
  REQUIRE_THROWS_AS(pack_trace(packed.path("empty"), packed.path("empty.tar")), InputError);
  REQUIRE_FALSE(std::filesystem::exists(packed.path("empty.tar")));
  REQUIRE_THROWS_AS(pack_trace(packed.path("trace"), packed.path("no-folder") / "t.tar"), InputError);
}

}  // namespace
}  // namespace finegrain
